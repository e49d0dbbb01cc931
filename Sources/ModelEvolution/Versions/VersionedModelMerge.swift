import DataModels

/// The three-way merge of bundles: version by version, and the choice of the current version.
///
/// ```swift
/// let merge = try VersionedModelMerge(
///   base: base, ours: ours, theirs: theirs, renumbering: true)
/// for conflict in merge.conflicts { print(conflict.version ?? "", conflict.conflict) }
/// print(merge.history.currentVersionName ?? "")
/// ```
///
/// Typically each of two branches has added a version. With renumbering, one side's version is placed on top of the
/// other's current version: it gets the next number, contains the edits of both branches and becomes the current
/// version. The version that moves is theirs, unless theirs added more versions than ours: these build on each other,
/// so ours moves. Without renumbering, versions with the same name or number are a conflict.
public struct VersionedModelMerge {
  /// A conflict and the version in which it occurs; nil when it concerns the bundle.
  public struct Conflict: Hashable, Sendable {
    /// The version's name in the merged bundle.
    public let version: String?
    /// The conflict.
    public let conflict: MergeConflict

    /// Creates a conflict in a version.
    public init(version: String?, conflict: MergeConflict) {
      self.version = version
      self.conflict = conflict
    }
  }

  /// A version that was renamed.
  public struct Renumbering: Hashable, Sendable {
    /// The side that the version is from.
    public let side: MergeSide
    /// Its name on that side.
    public let from: String
    /// Its name in the merged bundle.
    public let to: String
  }

  /// The models from which a merged version was created, other than ours.
  public struct Sides: Sendable {
    /// The common ancestor; nil for none.
    public let base: NSManagedObjectModel?
    /// Their model.
    public let theirs: NSManagedObjectModel
    /// The names in the merged model of the three models' entities and properties.
    public let names: MergedNames

    /// Creates an instance.
    public init(
      base: NSManagedObjectModel?, theirs: NSManagedObjectModel, names: MergedNames = MergedNames()
    ) {
      self.base = base
      self.theirs = theirs
      self.names = names
    }
  }

  /// The merged bundle.
  public let history: VersionedModel
  /// The sources of the versions that were merged, by version name; all other versions are from one side.
  public let sides: [String: Sides]
  /// The conflicts; empty when the merge is clean.
  public let conflicts: [Conflict]
  /// The versions that were renamed.
  public let renumberings: [Renumbering]
  /// Both sides' current versions, if each side made another one current; the later one is used.
  public let contestedCurrentVersions: [String]

  /// Merges three bundles, none of which is modified.
  ///
  /// - Parameters:
  ///   - base: The bundle that both sides began with.
  ///   - ours: Our bundle.
  ///   - theirs: Their bundle.
  ///   - renumbering: Whether versions that both sides added under one name are renamed.
  ///   - isEdited: Whether a version with the same model as the base's is edited nevertheless, in content that only its
  ///     source has: a conflict if the other side removed the version.
  /// - Throws: `EvolutionError` for the same reasons as ``ModelMerge``.
  public init(
    base: VersionedModel, ours: VersionedModel, theirs: VersionedModel, renumbering: Bool = false,
    isEdited: (_ base: NSManagedObjectModel, _ side: NSManagedObjectModel) -> Bool = { _, _ in false
    }
  ) throws {
    var merger = VersionedModelMerger(
      base: base, ours: ours, theirs: theirs, renumbers: renumbering)
    merger.editedVersions = Set(
      base.versions.filter { version in
        [ours, theirs].contains {
          $0[version.name].map { isEdited(version.model, $0.model) } ?? false
        }
      }.map(\.name))
    try merger.run()
    history = VersionedModel(
      merger.models.map { (name: $0.key, model: $0.value) },
      currentVersionName: merger.currentVersionName())
    sides = merger.sides
    conflicts = merger.conflicts
    renumberings = merger.renumberings
    contestedCurrentVersions = merger.contestedCurrentVersions
  }
}

/// The state of a merge of bundles.
private struct VersionedModelMerger {
  let base: VersionedModel
  let ours: VersionedModel
  let theirs: VersionedModel
  let renumbers: Bool
  /// The versions of the base whose sources a side edited.
  var editedVersions = Set<String>()
  var models: [String: NSManagedObjectModel] = [:]
  var sides: [String: VersionedModelMerge.Sides] = [:]
  var conflicts: [VersionedModelMerge.Conflict] = []
  var renumberings: [VersionedModelMerge.Renumbering] = []
  var contestedCurrentVersions: [String] = []

  init(base: VersionedModel, ours: VersionedModel, theirs: VersionedModel, renumbers: Bool) {
    self.base = base
    self.ours = ours
    self.theirs = theirs
    self.renumbers = renumbers
  }

  mutating func run() throws {
    for version in ours.versions { models[version.name] = version.model }
    for version in base.versions { try mergeShared(version) }
    let (mine, yours) = try mergeEqual(added(by: ours), added(by: theirs))
    let pairs = yours.map { version in (version, rival(of: version, among: mine)) }
    if renumbers, pairs.contains(where: { $1 != nil }) {
      try yours.count > mine.count
        ? stack(.ours, moving: mine, onto: yours) : stack(.theirs, moving: yours, onto: mine)
    } else {
      for (version, rival) in pairs { try mergeAdded(version, rival) }
    }
  }

  /// Merges the versions that both sides added with the same model, of which neither is a rival, and returns the others.
  private mutating func mergeEqual(
    _ mine: [VersionedModel.Version], _ yours: [VersionedModel.Version]
  ) throws -> (mine: [VersionedModel.Version], yours: [VersionedModel.Version]) {
    let start = base.currentVersion ?? base.latestVersion
    var equal = Set<String>()
    for version in yours {
      guard let own = mine.first(where: { $0.name == version.name }),
        ModelDifference(from: own.model, to: version.model).isEmpty
      else { continue }
      equal.insert(version.name)
      // Differences between their sources are merged when these are written.
      try merge(base: start?.model, ours: own.model, theirs: version.model, into: version.name)
    }
    return (
      mine.filter { !equal.contains($0.name) }, yours.filter { !equal.contains($0.name) }
    )
  }

  /// The versions that a side has added to the base.
  private func added(by side: VersionedModel) -> [VersionedModel.Version] {
    side.versions.filter { base[$0.name] == nil }
  }

  /// The version that was added under the same name or number.
  private func rival(
    of version: VersionedModel.Version, among others: [VersionedModel.Version]
  ) -> VersionedModel.Version? {
    let number = VersionName.number(in: version.name)
    return others.first { $0.name == version.name }
      ?? others.first { number != nil && VersionName.number(in: $0.name) == number }
  }

  /// Places the versions of one side, starting with the first that has a rival, on top of the other side's versions.
  private mutating func stack(
    _ side: MergeSide, moving: [VersionedModel.Version], onto staying: [VersionedModel.Version]
  ) throws {
    let host = side == .ours ? theirs : ours
    let current = host.currentVersion.flatMap { base[$0.name] == nil ? $0 : nil }
    guard let first = moving.firstIndex(where: { rival(of: $0, among: staying) != nil }),
      let top = current ?? staying.last
    else { return }
    for version in moving { models[version.name] = nil }
    for version in staying + moving[..<first] { models[version.name] = version.model }
    let start = base.currentVersion ?? base.latestVersion
    for version in moving[first...] {
      let name = freeName(like: version.name)
      renumberings.append(.init(side: side, from: version.name, to: name))
      let (mine, yours) = side == .ours ? (version, top) : (top, version)
      try merge(base: start?.model, ours: mine.model, theirs: yours.model, into: name)
    }
  }

  /// Merges a version that is in the base.
  private mutating func mergeShared(_ version: VersionedModel.Version) throws {
    switch (ours[version.name], theirs[version.name]) {
    case (let mine?, let yours?):
      guard mine.model !== yours.model else { return }
      try merge(base: version.model, ours: mine.model, theirs: yours.model, into: version.name)
    case (let mine?, nil): drop(version, unlessChanged: mine, remover: .theirs)
    case (nil, let yours?): drop(version, unlessChanged: yours, remover: .ours)
    case (nil, nil): break
    }
  }

  private mutating func drop(
    _ version: VersionedModel.Version, unlessChanged other: VersionedModel.Version,
    remover: MergeSide
  ) {
    guard
      editedVersions.contains(version.name)
        || !ModelDifference(from: version.model, to: other.model).isEmpty
    else {
      models[version.name] = nil
      return
    }
    models[version.name] = other.model
    report(
      .removedAndChanged, in: version.name, taken: remover.other,
      "\(remover.rawValue) removed the version \(version.name),"
        + " \(remover.other.rawValue) changed it")
  }

  /// Merges a version that theirs added with the one that ours added under the same name or number.
  private mutating func mergeAdded(
    _ version: VersionedModel.Version, _ rival: VersionedModel.Version?
  ) throws {
    guard let rival else {
      models[version.name] = version.model
      return
    }
    let start = base.currentVersion ?? base.latestVersion
    report(
      .version, in: rival.name, taken: nil,
      "both sides added a version: ours \(rival.name), theirs \(version.name);"
        + " merged into \(rival.name) here, or use --renumber to keep both")
    try merge(base: start?.model, ours: rival.model, theirs: version.model, into: rival.name)
  }

  private mutating func merge(
    base: NSManagedObjectModel?, ours: NSManagedObjectModel, theirs: NSManagedObjectModel,
    into name: String
  ) throws {
    let merge = try ModelMerge(base: base ?? NSManagedObjectModel(), ours: ours, theirs: theirs)
    models[name] = merge.model
    sides[name] = VersionedModelMerge.Sides(base: base, theirs: theirs, names: merge.names)
    conflicts += merge.conflicts.map { .init(version: name, conflict: $0) }
  }

  /// A name of the same form, numbered one higher than all existing versions.
  private func freeName(like name: String) -> String {
    let names = Set(models.keys).union(theirs.versions.map(\.name)).union(base.versions.map(\.name))
    let numbers = names.compactMap(VersionName.number)
    let next = (numbers.max() ?? names.count).addingReportingOverflow(1).partialValue
    return VersionName.renumbered(name, to: next)
  }

  private mutating func report(
    _ kind: MergeConflict.Kind, in version: String?, taken: MergeSide?, ours: ModelValue = .none,
    theirs: ModelValue = .none, _ message: String
  ) {
    conflicts.append(
      .init(
        version: version,
        conflict: MergeConflict(
          kind, at: .model, ours: ours, theirs: theirs, taken: taken, message)))
  }

  /// The merged bundle's current version: if both sides changed it, the later one that exists.
  mutating func currentVersionName() -> String? {
    let before = base.currentVersionName
    let mine = name(ours.currentVersionName, of: .ours)
    let yours = name(theirs.currentVersionName, of: .theirs)
    if mine == yours || yours == before { return kept(mine) }
    if mine == before { return kept(yours) }
    let there = [mine, yours].compactMap { $0 }.filter { models[$0] != nil }
    if renumberings.isEmpty, there.count == 2 { contestedCurrentVersions = there }
    return kept(there.max(by: VersionName.precedes) ?? mine)
  }

  /// The name in the merged bundle of a side's version.
  private func name(_ name: String?, of side: MergeSide) -> String? {
    renumberings.first { $0.side == side && $0.from == name }?.to ?? name
  }

  /// The name, if the version still exists; otherwise the newest version's.
  private func kept(_ name: String?) -> String? {
    guard let name, models[name] == nil else { return name }
    return models.keys.max(by: VersionName.precedes)
  }
}
