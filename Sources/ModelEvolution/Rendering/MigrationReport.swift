import PropertyLists

/// A report of migration verdicts, in several formats.
public struct MigrationReport: ModelReport {
  /// The routes to report.
  public let routes: [MigrationPlan.Route]
  /// The stages needed where inference fails; empty when none are needed.
  public let stages: [MigrationPlan.Stage]
  /// Whether the report for people begins with totals and one line per route, and gives details only for routes that
  /// are impossible or can fail. Set for plans.
  public var isSummary = false
  /// Whether the report for people omits routes that always succeed. Default: false.
  public var showsFailingOnly = false

  /// Creates a report of one route.
  public init(_ verdict: MigrationVerdict, from oldName: String, to newName: String) {
    routes = [MigrationPlan.Route(from: oldName, to: newName, verdict: verdict)]
    stages = []
  }

  /// Creates a report of a plan.
  public init(_ plan: MigrationPlan) {
    routes = plan.routes
    stages = plan.stages
    isSummary = true
  }

  /// The report for terminals.
  public func text(paint: ReportPaint) -> String {
    var lines = isSummary ? summary(paint) : []
    for (from, route) in isSummary ? failingRoutes : routes.map({ ($0.from, $0) }) {
      let outcome = route.verdict.outcome
      if isSummary { lines.append("") }
      lines.append(
        paint(.heading, "\(from) → \(route.to)") + ": " + paint(outcome.role, outcome.sentence))
      for finding in shownFindings(of: route) {
        lines.append(
          "  " + paint(finding.rule.effect.role, finding.message)
            + paint(.note, "  [\(finding.rule.rawValue)]"))
        if let suggestion = finding.suggestion { lines.append(paint(.note, "    → \(suggestion)")) }
      }
    }
    if !stages.isEmpty {
      if isSummary { lines.append("") }
      lines.append(paint(.heading, "stages that migrate every version to the current one"))
      lines += stages.map { "  " + $0.code }
    }
    return lines.joined(separator: "\n") + (lines.isEmpty ? "" : "\n")
  }

  private func shownFindings(of route: MigrationPlan.Route) -> [MigrationFinding] {
    route.verdict.findings.filter { !isSummary || $0.rule.effect >= .failsWithData }
  }

  /// The routes that are impossible or can fail; those with equal verdicts are combined under all their names.
  private var failingRoutes: [(from: String, route: MigrationPlan.Route)] {
    var places: [[String]: Int] = [:]
    var groups: [(names: [String], route: MigrationPlan.Route)] = []
    for route in routes where route.verdict.outcome.isFailing {
      let told =
        [route.verdict.outcome.sentence]
        + shownFindings(of: route).flatMap { [$0.message, $0.suggestion ?? ""] }
      if let place = places[told] {
        groups[place].names.append(route.from)
      } else {
        places[told] = groups.count
        groups.append(([route.from], route))
      }
    }
    return groups.map { names, route in
      let shown = names.count > 4 ? names.prefix(3) + ["\(names.count - 3) more"] : names[...]
      return (shown.joined(separator: ", "), route)
    }
  }

  /// The number of routes per outcome, and one line per route.
  private func summary(_ paint: ReportPaint) -> [String] {
    let counts = MigrationVerdict.Outcome.allCases.compactMap { outcome -> String? in
      let count = routes.count { $0.verdict.outcome == outcome }
      return count == 0 ? nil : paint(outcome.role, "\(count) \(outcome.sentence)")
    }
    let plural = routes.count == 1 ? "" : "s"
    var lines = [
      paint(.heading, "\(routes.count) version\(plural) to \(routes.first?.to ?? "")")
        + ": " + counts.joined(separator: ", "), "",
    ]
    let shown = routes.filter { !showsFailingOnly || $0.verdict.outcome.isFailing }
    let names = shown.map { DisplayText.bare($0.from) }
    let width = names.map(\.count).max() ?? 0
    for (route, name) in zip(shown, names) {
      let losses = route.verdict.findings.count { $0.rule.effect == .loses }
      lines.append(
        "  " + name + String(repeating: " ", count: width - name.count + 2)
          + paint(route.verdict.outcome.role, route.verdict.outcome.sentence)
          + (losses == 0
            ? ""
            : paint(.removed, ", \(losses) change\(losses == 1 ? "" : "s") with data loss")))
    }
    return lines
  }

  /// The report for pull requests.
  public var markdown: String {
    var lines: [String] = []
    for route in routes {
      lines += [
        "### \(Markdown.text(route.from)) → \(Markdown.text(route.to))", "",
        "**\(route.verdict.outcome.sentence)**", "",
      ]
      guard !route.verdict.findings.isEmpty else { continue }
      lines += ["| effect | what | rule | suggestion |", "|---|---|---|---|"]
      lines += route.verdict.findings.map { finding in
        "| \(finding.rule.effect.word) | \(Markdown.text(finding.message)) |"
          + " `\(finding.rule.rawValue)` | \(Markdown.text(finding.suggestion ?? "")) |"
      }
      lines.append("")
    }
    if !stages.isEmpty { lines += ["```swift"] + stages.map(\.code) + ["```"] }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The machine-readable report.
  public var json: JSONReport {
    .object([
      "routes": .array(
        routes.map { route in
          .object([
            "from": .text(route.from), "to": .text(route.to),
            "outcome": .text(route.verdict.outcome.rawValue),
            "findings": .array(route.verdict.findings.map(\.json)),
          ])
        }),
      "stages": .array(stages.map(\.json)),
    ])
  }
}

extension MigrationVerdict.Outcome {
  /// The outcome as a phrase.
  public var sentence: String {
    switch self {
    case .notNeeded: "no migration needed"
    case .lightweight: "lightweight migration"
    case .failsWithData: "lightweight migration that fails with some data"
    case .impossible: "lightweight migration is not possible"
    }
  }

  /// Whether the migration is impossible or can fail.
  var isFailing: Bool { self == .failsWithData || self == .impossible }

  var role: ReportRole {
    switch self {
    case .notNeeded, .lightweight: .added
    case .failsWithData: .warning
    case .impossible: .trouble
    }
  }
}

extension MigrationRule.Effect {
  var role: ReportRole {
    switch self {
    case .keeps: .changed
    case .loses: .removed
    case .failsWithData: .warning
    case .blocks: .trouble
    }
  }
}

extension MigrationFinding {
  /// The finding as JSON.
  var json: JSONReport {
    .compact([
      "rule": .text(rule.rawValue), "effect": .text(rule.effect.word), "basis": .text(rule.basis),
      "path": path.json, "message": .text(message), "suggestion": .optional(suggestion),
    ])
  }
}

extension MigrationPlan.Stage {
  /// The stage as Swift code.
  public var code: String {
    switch self {
    case .lightweight(let versions, let checksums):
      let list = checksums.map { "\"\($0)\"" }.joined(separator: ", ")
      return "NSLightweightMigrationStage([\(list)])  // \(versions.joined(separator: ", "))"
    case .custom(let from, let to):
      return "NSCustomMigrationStage(migratingFrom: \(from), to: \(to))"
    }
  }

  /// The stage as JSON.
  var json: JSONReport {
    switch self {
    case .lightweight(let versions, let checksums):
      .object([
        "kind": .text("lightweight"), "versions": .array(versions.map(JSONReport.text)),
        "checksums": .array(checksums.map(JSONReport.text)),
      ])
    case .custom(let from, let to):
      .object(["kind": .text("custom"), "from": .text(from), "to": .text(to)])
    }
  }
}
