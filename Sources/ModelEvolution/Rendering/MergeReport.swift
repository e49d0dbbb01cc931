/// The conflicts of a merge, in the forms they can be shown in.
public struct MergeReport: ModelReport {
  /// What is shown.
  public let conflicts: [VersionedModelMerge.Conflict]

  /// Makes a report of the conflicts of bundles.
  public init(_ conflicts: [VersionedModelMerge.Conflict]) {
    self.conflicts = conflicts
  }

  /// Makes a report of the conflicts of models.
  public init(_ conflicts: [MergeConflict]) {
    self.conflicts = conflicts.map { .init(version: nil, conflict: $0) }
  }

  /// The report as compilers print theirs: `conflict: [kind] place: message`.
  public func text(paint: ReportPaint) -> String {
    conflicts.map { item in
      paint(.trouble, "conflict") + ": "
        + (item.version.map { "\($0): " } ?? "") + item.conflict.description
        + paint(.note, " [\(item.conflict.kind.rawValue)]") + "\n"
    }.joined()
  }

  /// The report for a pull request.
  public var markdown: String {
    conflicts.map { item in
      "- " + (item.version.map { "**\(Markdown.text($0))**: " } ?? "")
        + "\(Markdown.text(item.conflict.description)) `\(item.conflict.kind.rawValue)`\n"
    }.joined()
  }

  /// The report for programs; what `conflicts.json` holds.
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
