import PropertyLists

/// A report of a release guard's findings, in several formats.
public struct GuardReport: ModelReport {
  /// The findings in one bundle.
  public struct Bundle: Sendable {
    /// The bundle's path.
    public let path: String
    /// The findings.
    public let findings: [GuardFinding]

    /// Creates the findings of a bundle.
    public init(path: String, findings: [GuardFinding]) {
      self.path = path
      self.findings = findings
    }
  }

  /// The bundles that were checked.
  public let bundles: [Bundle]

  /// Creates a report.
  public init(_ bundles: [Bundle]) {
    self.bundles = bundles
  }

  /// Whether there are no findings.
  public var isClean: Bool { bundles.allSatisfy(\.findings.isEmpty) }

  /// The report in the format of compiler diagnostics: `path: error: [rule] message`.
  public func text(paint: ReportPaint) -> String {
    bundles.flatMap { bundle in
      bundle.groups.map { group in
        paint(.heading, bundle.place(of: group)) + ": " + paint(.trouble, "error") + ": "
          + DisplayText.bare(group.message) + paint(.note, " [\(group.kind.rawValue)]") + "\n"
      }
    }.joined()
  }

  /// The report for pull requests.
  public var markdown: String {
    guard !isClean else { return "Released model versions are unchanged.\n" }
    return bundles.flatMap { bundle in
      bundle.groups.map {
        "- **\(Markdown.text(bundle.path))**: \(Markdown.text($0.message)) `\($0.kind.rawValue)`\n"
      }
    }.joined()
  }

  /// The machine-readable report.
  public var json: JSONReport {
    .object([
      "bundles": .array(
        bundles.map { bundle in
          .object([
            "path": .text(bundle.path),
            "findings": .array(
              bundle.findings.map { finding in
                .compact([
                  "kind": .text(finding.kind.rawValue), "version": .text(finding.version),
                  "path": finding.path?.json ?? .null, "message": .text(finding.message),
                ])
              }),
          ])
        })
    ])
  }
}

extension GuardReport.Bundle {
  /// The number of a version's changes that are described in the finding for people.
  private static let mostChanges = 3

  /// The findings for people: the changes of a version are combined into one finding, with the first few and their
  /// number.
  public var groups: [GuardFinding] {
    var groups: [GuardFinding] = []
    let changes = Dictionary(
      grouping: findings.filter { $0.kind == .versionChanged }, by: \.version)
    for finding in findings {
      guard finding.kind == .versionChanged, let all = changes[finding.version], all.count > 1
      else {
        groups.append(finding)
        continue
      }
      guard finding == all.first else { continue }
      let opening = "the released version \(finding.version) was changed: "
      let told = all.prefix(Self.mostChanges).map { change in
        change.message.hasPrefix(opening)
          ? String(change.message.dropFirst(opening.count)) : change.message
      }
      let rest = all.count - told.count
      groups.append(
        GuardFinding(
          .versionChanged, version: finding.version, path: finding.path,
          "the released version \(finding.version) was changed in \(all.count) places: "
            + told.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")))
    }
    return groups
  }

  /// The file that a finding concerns: a version's source, if the bundle is a source.
  public func place(of finding: GuardFinding) -> String {
    guard path.hasSuffix(".xcdatamodeld"), finding.kind == .versionChanged else { return path }
    return "\(path)/\(finding.version).xcdatamodel/contents"
  }
}
