/// What a release guard found, in the forms it can be shown in.
public struct GuardReport: ModelReport {
  /// The findings in one bundle.
  public struct Bundle: Sendable {
    /// The bundle's path.
    public let path: String
    /// What was found in it.
    public let findings: [GuardFinding]

    /// Makes a bundle's part.
    public init(path: String, findings: [GuardFinding]) {
      self.path = path
      self.findings = findings
    }
  }

  /// The bundles that were looked at.
  public let bundles: [Bundle]

  /// Makes a report.
  public init(_ bundles: [Bundle]) {
    self.bundles = bundles
  }

  /// Whether anything was found.
  public var isClean: Bool { bundles.allSatisfy(\.findings.isEmpty) }

  /// The report as compilers print theirs: `path: error: [rule] message`.
  public func text(paint: ReportPaint) -> String {
    bundles.flatMap { bundle in
      bundle.findings.map { finding in
        paint(.heading, bundle.place(of: finding)) + ": " + paint(.trouble, "error") + ": "
          + finding.message + paint(.note, " [\(finding.kind.rawValue)]") + "\n"
      }
    }.joined()
  }

  /// The report for a pull request.
  public var markdown: String {
    guard !isClean else { return "Released model versions are untouched.\n" }
    return bundles.flatMap { bundle in
      bundle.findings.map {
        "- **\(Markdown.text(bundle.path))**: \(Markdown.text($0.message)) `\($0.kind.rawValue)`\n"
      }
    }.joined()
  }

  /// The report for programs.
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
  /// The file that a finding is about: a version's source, where the bundle is one.
  public func place(of finding: GuardFinding) -> String {
    guard path.hasSuffix(".xcdatamodeld"), finding.kind == .versionChanged else { return path }
    return "\(path)/\(finding.version).xcdatamodel/contents"
  }
}
