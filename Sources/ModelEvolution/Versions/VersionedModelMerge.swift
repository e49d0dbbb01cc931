import DataModels

/// The three-way merge of bundles: version by version, and which one is current.
///
/// Two branches that each added a version are the usual case. With renumbering, one side's goes on top of
/// the other's current version: it gets the next number, holds both branches' edits and becomes the
/// current version. That is theirs, unless theirs added more versions than ours: those stand on each other,
/// so that ours moves. Without renumbering, versions of one name or number are a conflict.
public struct VersionedModelMerge {
  /// A conflict and the version it is in; nil when it is about the bundle.
  public struct Conflict: Hashable, Sendable {
    /// The version's name in the merged bundle.
    public let version: String?
    /// What contradicts each other.
    public let conflict: MergeConflict

    /// Makes a conflict in a version.
    public init(version: String?, conflict: MergeConflict) {
      self.version = version
      self.conflict = conflict
    }
  }

  /// A version that got another name.
  public struct Renumbering: Hashable, Sendable {
    /// Whose version it is.
    public let side: MergeSide
    /// What it is called on its side.
    public let from: String
    /// What it is called in the merged bundle.
    public let to: String
  }

  /// The models that a merged version was made of, besides ours.
  public struct Sides: Sendable {
    /// What both sides began with; nil for nothing.
    public let base: NSManagedObjectModel?
    /// Theirs.
    public let theirs: NSManagedObjectModel
    /// What the three models' entities and properties are called in the merged one.
    public let names: MergedNames

    /// Makes them.
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
  /// What the versions were made of that were merged, by their names; the others are one side's.
  public let sides: [String: Sides]
  /// What contradicts each other; empty when the merge is clean.
  public let conflicts: [Conflict]
  /// The versions that got another name.
  public let renumberings: [Renumbering]
  /// Both sides' current versions, where each made another one current: the later is taken.
  public let contestedCurrentVersions: [String]

  /// Merges three bundles; none is changed.
  ///
  /// - Throws: `EvolutionError` as ``ModelMerge`` does.
  public init(
    base: VersionedModel, ours: VersionedModel, theirs: VersionedModel, renumbering: Bool = false
  ) throws {
    var merger = VersionedModelMerger(
      base: base, ours: ours, theirs: theirs, renumbers: renumbering)
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
    let mine = added(by: ours)
    let yours = added(by: theirs)
    let pairs = yours.map { version in (version, rival(of: version, among: mine)) }
    guard pairs.contains(where: { $1 != nil }) else {
      for version in yours {
        guard let mine = ours[version.name] else {
          models[version.name] = version.model
          continue
        }
        // They say the same; what only their sources say is merged where they are written.
        let start = base.currentVersion ?? base.latestVersion
        try merge(base: start?.model, ours: mine.model, theirs: version.model, into: version.name)
      }
      return
    }
    if renumbers {
      try yours.count > mine.count
        ? stack(.ours, moving: mine, onto: yours) : stack(.theirs, moving: yours, onto: mine)
    } else {
      for (version, rival) in pairs { try mergeAdded(version, rival) }
    }
  }

  /// The versions that a side has and the base hasn't.
  private func added(by side: VersionedModel) -> [VersionedModel.Version] {
    side.versions.filter { base[$0.name] == nil }
  }

  /// The version that was added under the same name or number, and says something else.
  private func rival(
    of version: VersionedModel.Version, among others: [VersionedModel.Version]
  ) -> VersionedModel.Version? {
    let number = VersionName.number(in: version.name)
    let rival =
      others.first { $0.name == version.name }
      ?? others.first { number != nil && VersionName.number(in: $0.name) == number }
    guard let rival else { return nil }
    let isSame =
      rival.name == version.name && ModelDifference(from: rival.model, to: version.model).isEmpty
    return isSame ? nil : rival
  }

  /// Puts the versions of one side, from the first that has a rival on, on top of the other side's.
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

  /// Merges a version that the base has.
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
    guard !ModelDifference(from: version.model, to: other.model).isEmpty else {
      models[version.name] = nil
      return
    }
    models[version.name] = other.model
    report(
      .removedAndChanged, in: version.name, taken: remover.other,
      "\(remover.rawValue) removed the version \(version.name),"
        + " \(remover.other.rawValue) changed it")
  }

  /// Merges a version that theirs added with the one that ours added in its place.
  private mutating func mergeAdded(
    _ version: VersionedModel.Version, _ rival: VersionedModel.Version?
  ) throws {
    guard let rival else {
      if ours[version.name] == nil { models[version.name] = version.model }
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

  /// The name with the first number that no version has.
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

  /// The merged bundle's current version: where both sides changed it, the later one that is there.
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

  /// What a side's version is called in the merged bundle.
  private func name(_ name: String?, of side: MergeSide) -> String? {
    renumberings.first { $0.side == side && $0.from == name }?.to ?? name
  }

  /// The name, if the version is still there; else the newest.
  private func kept(_ name: String?) -> String? {
    guard let name, models[name] == nil else { return name }
    return models.keys.max(by: VersionName.precedes)
  }
}
