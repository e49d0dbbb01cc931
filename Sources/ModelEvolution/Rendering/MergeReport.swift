import PropertyLists

/// A report of the conflicts of a merge, in several formats.
public struct MergeReport: ModelReport {
  /// The conflicts to report.
  public let conflicts: [VersionedModelMerge.Conflict]

  /// Creates a report of conflicts of bundles.
  public init(_ conflicts: [VersionedModelMerge.Conflict]) {
    self.conflicts = conflicts
  }

  /// Creates a report of conflicts of models.
  public init(_ conflicts: [MergeConflict]) {
    self.conflicts = conflicts.map { .init(version: nil, conflict: $0) }
  }

  /// The report in the format of compiler diagnostics: `conflict: [kind] place: message`.
  public func text(paint: ReportPaint) -> String {
    conflicts.map { item in
      paint(.trouble, "conflict") + ": "
        + DisplayText.bare((item.version.map { "\($0): " } ?? "") + item.conflict.description)
        + paint(.note, " [\(item.conflict.kind.rawValue)]") + "\n"
    }.joined()
  }

  /// The report for pull requests.
  public var markdown: String {
    conflicts.map { item in
      "- " + (item.version.map { "**\(Markdown.text($0))**: " } ?? "")
        + "\(Markdown.text(item.conflict.description)) `\(item.conflict.kind.rawValue)`\n"
    }.joined()
  }

  /// The machine-readable report, as stored in `conflicts.json`.
  public var json: JSONReport {
    .object([
      "schemaVersion": .integer(1),
      "conflicts": .array(
        conflicts.map { item in
          .compact([
            "version": .optional(item.version), "kind": .text(item.conflict.kind.rawValue),
            "path": item.conflict.path.json, "fact": .optional(item.conflict.fact),
            "base": item.conflict.base.json, "ours": item.conflict.ours.json,
            "theirs": item.conflict.theirs.json,
            "taken": .optional(item.conflict.taken?.rawValue),
            "message": .text(item.conflict.message),
          ])
        }),
    ])
  }
}
