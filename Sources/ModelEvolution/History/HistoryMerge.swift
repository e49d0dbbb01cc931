import DataModels

/// The three-way merge of bundles: version by version, and which one is current.
///
/// Two branches that each added a version are the usual case. With renumbering, theirs goes on top
/// of ours: it gets the next number, holds both branches' edits and becomes the current version.
/// Without, versions of one name or number are a conflict.
public struct HistoryMerge {
  /// A conflict and the version it is in; nil when it is about the bundle.
  public struct Conflict: Hashable, Sendable {
    /// The version's name in the merged bundle.
    public let version: String?
    /// What contradicts each other.
    public let conflict: MergeConflict
  }

  /// A version that got another name.
  public struct Renumbering: Hashable, Sendable {
    /// What it is called in theirs.
    public let from: String
    /// What it is called in the merged bundle.
    public let to: String
  }

  /// The merged bundle.
  public let history: ModelHistory
  /// What contradicts each other; empty when the merge is clean.
  public let conflicts: [Conflict]
  /// The versions of theirs that got another name.
  public let renumberings: [Renumbering]

  /// Merges three bundles; none is changed.
  ///
  /// - Throws: `EvolutionError` as ``ModelMerge`` does.
  public init(
    base: ModelHistory, ours: ModelHistory, theirs: ModelHistory, renumbering: Bool = false
  ) throws {
    var merger = HistoryMerger(base: base, ours: ours, theirs: theirs, renumbers: renumbering)
    try merger.run()
    history = ModelHistory(
      merger.models.map { (name: $0.key, model: $0.value) },
      currentVersionName: merger.currentVersionName())
    conflicts = merger.conflicts
    renumberings = merger.renumberings
  }
}

/// The state of a merge of bundles.
private struct HistoryMerger {
  let base: ModelHistory
  let ours: ModelHistory
  let theirs: ModelHistory
  let renumbers: Bool
  var models: [String: NSManagedObjectModel] = [:]
  var conflicts: [HistoryMerge.Conflict] = []
  var renumberings: [HistoryMerge.Renumbering] = []

  init(base: ModelHistory, ours: ModelHistory, theirs: ModelHistory, renumbers: Bool) {
    self.base = base
    self.ours = ours
    self.theirs = theirs
    self.renumbers = renumbers
  }

  mutating func run() throws {
    for version in ours.versions { models[version.name] = version.model }
    for version in base.versions { try mergeShared(version) }
    let added = theirs.versions.filter { base[$0.name] == nil }
    for version in added { try mergeAdded(version) }
  }

  /// Merges a version that the base has.
  private mutating func mergeShared(_ version: ModelHistory.Version) throws {
    switch (ours[version.name], theirs[version.name]) {
    case (let mine?, let yours?):
      guard mine.model !== yours.model else { return }
      let merge = try ModelMerge(base: version.model, ours: mine.model, theirs: yours.model)
      models[version.name] = merge.model
      conflicts += merge.conflicts.map { .init(version: version.name, conflict: $0) }
    case (let mine?, nil): drop(version, unlessChanged: mine, remover: .theirs)
    case (nil, let yours?): drop(version, unlessChanged: yours, remover: .ours)
    case (nil, nil): break
    }
  }

  private mutating func drop(
    _ version: ModelHistory.Version, unlessChanged other: ModelHistory.Version, remover: MergeSide
  ) {
    guard !ModelDifference(from: version.model, to: other.model).isEmpty else {
      models[version.name] = nil
      return
    }
    models[version.name] = other.model
    report(
      .removedAndChanged, version.name, taken: remover.other,
      "\(remover.rawValue) removed the version \(version.name),"
        + " \(remover.other.rawValue) changed it")
  }

  /// Merges a version that only theirs, or both sides, added.
  private mutating func mergeAdded(_ version: ModelHistory.Version) throws {
    let namesake = ours[version.name]
    if let namesake, ModelDifference(from: namesake.model, to: version.model).isEmpty { return }
    let rival =
      namesake
      ?? ours.versions.first { candidate in
        base[candidate.name] == nil && VersionName.number(in: candidate.name) != nil
          && VersionName.number(in: candidate.name) == VersionName.number(in: version.name)
      }
    guard let rival else {
      models[version.name] = version.model
      return
    }
    let start = base.currentVersion ?? base.latestVersion
    let merge = try ModelMerge(
      base: start?.model ?? NSManagedObjectModel(), ours: rival.model, theirs: version.model)
    if renumbers {
      let name = freeName(like: version.name)
      renumberings.append(.init(from: version.name, to: name))
      models[name] = merge.model
      conflicts += merge.conflicts.map { .init(version: name, conflict: $0) }
    } else {
      models[rival.name] = merge.model
      report(
        .version, rival.name, taken: nil,
        "both sides added a version: ours \(rival.name), theirs \(version.name);"
          + " merged into \(rival.name) here, or use --renumber to keep both")
      conflicts += merge.conflicts.map { .init(version: rival.name, conflict: $0) }
    }
  }

  /// The name with the first number that no version has.
  private func freeName(like name: String) -> String {
    let names = Set(models.keys).union(theirs.versions.map(\.name)).union(base.versions.map(\.name))
    let numbers = names.compactMap(VersionName.number)
    let next = (numbers.max() ?? names.count).addingReportingOverflow(1).partialValue
    return VersionName.renumbered(name, to: next)
  }

  private mutating func report(
    _ kind: MergeConflict.Kind, _ version: String?, taken: MergeSide?, ours: ModelValue = .none,
    theirs: ModelValue = .none, _ message: String
  ) {
    conflicts.append(
      .init(
        version: version,
        conflict: MergeConflict(
          kind, at: .model, ours: ours, theirs: theirs, taken: taken, message)))
  }

  /// The merged bundle's current version.
  mutating func currentVersionName() -> String? {
    let before = base.currentVersionName
    let mine = ours.currentVersionName
    var yours = theirs.currentVersionName
    if let moved = renumberings.first(where: { $0.from == yours }) { yours = moved.to }
    if mine == yours || yours == before { return kept(mine) }
    if mine == before { return kept(yours) }
    // Renumbered, theirs holds ours too and is the newest of all.
    if renumberings.contains(where: { $0.to == yours }) { return kept(yours) }
    report(
      .currentVersion, nil, taken: .ours, ours: .optionalText(mine),
      theirs: .optionalText(yours),
      "ours made \(mine ?? "none") the current version, theirs \(yours ?? "none")")
    return kept(mine)
  }

  /// The name, if the version is still there; else the newest.
  private func kept(_ name: String?) -> String? {
    guard let name, models[name] == nil else { return name }
    return models.keys.max(by: VersionName.precedes)
  }
}
