import DataModels
import ModelEvolution

extension ReportData.Versions {
  /// The most elements to examine for a matrix of all versions. If there are more, only migrations from every version
  /// to the current one and to the next are examined.
  private static let matrixBudget = 60_000

  /// Creates the report data of a history.
  public init(_ history: VersionedModel) {
    let names = history.versions.map(\.name)
    let current = history.currentVersionName.flatMap { names.firstIndex(of: $0) }
    let timeline = VersionTimeline(history)
    var tracks = TrackBuilder()
    tracks.add(timeline)
    let pairs = Self.pairs(
      names.count, current: current, elements: timeline.outlines.map { $0.paths.count }.max() ?? 0)
    var reasons = ReasonTable()
    let routes = timeline.verdicts(pairs).map { pair, verdict in
      Route(
        from: pair.from, to: pair.to, outcome: verdict.outcome.rawValue,
        reasons: verdict.findings.prefix(200).map { reasons.place(of: $0) })
    }
    self.init(
      names: names, current: current, sizes: timeline.outlines.concurrentMap(Self.size),
      texts: tracks.texts.list, kinds: tracks.kinds, tracks: tracks.tracks, routes: routes,
      reasons: reasons.list)
  }

  private static func size(_ outline: ModelOutline) -> [Int] {
    let counts = outline.counts
    func sum(_ isCounted: (ModelElementKind) -> Bool) -> Int {
      counts.reduce(0) { isCounted($1.key) ? $0 + $1.value : $0 }
    }
    return [sum { $0 == .entity }, sum(\.isAttribute), sum { $0 == .relationship }]
  }

  /// The migrations to examine.
  private static func pairs(
    _ count: Int, current: Int?, elements: Int
  ) -> [VersionTimeline.Pair] {
    var pairs: [VersionTimeline.Pair] = []
    for from in 0..<count {
      for to in 0..<count where to != from {
        let isWanted =
          to == current || to == from + 1
          || (to > from && count <= 24 && count * count * elements <= matrixBudget)
        if isWanted { pairs.append(.init(from: from, to: to)) }
      }
    }
    return pairs
  }
}

/// A table of distinct strings.
private struct TextTable {
  private(set) var list: [String] = []
  private var places: [String: Int] = [:]

  mutating func place(of text: String) -> Int {
    if let place = places[text] { return place }
    places[text] = list.count
    list.append(text)
    return list.count - 1
  }
}

/// A table of distinct migration findings.
private struct ReasonTable {
  private(set) var list: [ReportData.Versions.Reason] = []
  private var places: [MigrationFinding: Int] = [:]

  mutating func place(of finding: MigrationFinding) -> Int {
    if let place = places[finding] { return place }
    places[finding] = list.count
    list.append(
      .init(
        rule: finding.rule.rawValue, effect: finding.rule.effect.word, message: finding.message,
        suggestion: finding.suggestion))
    return list.count - 1
  }
}

/// Tracks elements from version to version.
private struct TrackBuilder {
  private(set) var tracks: [ReportData.Versions.Track] = []
  var texts = TextTable()
  let kinds: [ReportData.Versions.Kind]
  private let kindPlaces: [ModelElementKind: Int]
  private let factCounts: [Int]

  init() {
    kinds = ModelElementKind.allCases.map { kind in
      let facts = kind.factSummaries
      // For entities, the version hash is added as another fact.
      let extra = kind == .entity ? ["version hash"] : []
      return .init(
        name: kind.rawValue, facts: facts.map(\.name) + extra,
        hashed: facts.indices.filter { facts[$0].isHashed },
        references: facts.indices.filter { facts[$0].holdsReferences })
    }
    kindPlaces = Dictionary(
      ModelElementKind.allCases.enumerated().map { ($1, $0) }, uniquingKeysWith: { a, _ in a })
    factCounts = ModelElementKind.allCases.map(\.factSummaries.count)
  }

  mutating func add(_ timeline: VersionTimeline) {
    var open: [ModelPath: Int] = [:]
    for (version, outline) in timeline.outlines.enumerated() {
      // Tracks of elements that didn't change stay open.
      var before: [ModelPath: Int] = [:]
      for path in timeline.changedPathsBefore[version] {
        if let track = open.removeValue(forKey: path) { before[path] = track }
      }
      let earlier = version > 0 ? timeline.outlines[version - 1] : nil
      for path in timeline.changedPaths[version] {
        guard let element = outline[path], let kind = kindPlaces[element.kind] else { continue }
        let origin = version > 0 ? timeline.steps[version - 1].oldPath(of: path) : nil
        if let origin, let track = before[origin], tracks[track].kind == kind {
          before[origin] = nil
          open[path] = track
          if origin == path, let earlier, let old = earlier[path], old == element,
            timeline.hashIsSame(of: path, in: version, and: version - 1)
          {
            continue
          }
          let state = state(of: path, element, hash: timeline.hash(of: path, in: version))
          if let last = tracks[track].states.last, last.dropFirst().elementsEqual(state) {
            continue
          }
          tracks[track].states.append([version] + state)
        } else {
          open[path] = tracks.count
          let state = state(of: path, element, hash: timeline.hash(of: path, in: version))
          tracks.append(.init(kind: kind, states: [[version] + state]))
        }
      }
      for track in before.values { tracks[track].states.append([version]) }
    }
  }

  private mutating func state(
    of path: ModelPath, _ element: ModelElement, hash: String?
  ) -> [Int] {
    var state = [
      path.entityName.map { texts.place(of: $0) } ?? -1,
      path.isInsideEntity || path.entityName == nil ? texts.place(of: path.name) : -1,
    ]
    let kind = kindPlaces[element.kind] ?? 0
    for (place, value) in element.factValues.enumerated() {
      guard value != .none, value != .flag(false) else { continue }
      state += [place, texts.place(of: value.description)]
    }
    if let hash { state += [factCounts[kind], texts.place(of: hash)] }
    return state
  }
}
