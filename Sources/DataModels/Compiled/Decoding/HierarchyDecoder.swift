import PropertyLists

/// Reconciles the links between super- and subentities, and rejects cycles.
struct HierarchyDecoder {
  /// Each entity's superentity, by index.
  private(set) var parents: [Int?]
  /// Each entity's subentities, in archive order.
  private(set) var children: [[Int]]
  private let names: [String]
  private var listed: [[Int]]

  init(names: [String]) {
    self.names = names
    parents = Array(repeating: nil, count: names.count)
    children = Array(repeating: [], count: names.count)
    listed = Array(repeating: [], count: names.count)
  }

  /// Adds what the archive states about one entity.
  mutating func add(
    _ position: Int, superentity: Int?, subentities: [Int]
  ) throws(ArchiveError) {
    parents[position] = superentity
    listed[position] = subentities
  }

  /// Resolves the hierarchy: superentities determine it, and the subentities' lists provide the order.
  ///
  /// - Throws: ``ArchiveError`` when an entity is listed under an entity other than its superentity, or descends from
  ///   itself.
  mutating func check(number: (Int) -> Int) throws(ArchiveError) {
    var isListed = Array(repeating: false, count: names.count)
    for (position, members) in listed.enumerated() {
      for member in members {
        guard parents[member] == position, !isListed[member] else {
          throw ArchiveError(
            .invalidContent,
            "'\(names[member])' is listed below '\(names[position])', which is not its"
              + " superentity",
            object: number(position), key: ModelKey.subentities.text)
        }
        isListed[member] = true
        children[position].append(member)
      }
    }
    for (position, parent) in parents.enumerated() {
      if let parent, !isListed[position] { children[parent].append(position) }
    }
    try checkCircles(number: number)
  }

  /// The deepest inheritance accepted. Real models stay far below (Apple's own below 10). The limit bounds the cost of
  /// collecting inherited properties, which traverses all ancestors for each entity.
  private static let depthLimit = 500

  private func checkCircles(number: (Int) -> Int) throws(ArchiveError) {
    // The depth of each entity below the root of its hierarchy; 0 if not yet known.
    var depths = Array(repeating: 0, count: names.count)
    var path: [Int] = []
    var isOnPath = Array(repeating: false, count: names.count)
    for start in parents.indices where depths[start] == 0 {
      var next: Int? = start
      while let position = next, depths[position] == 0 {
        guard !isOnPath[position] else {
          throw ArchiveError(
            .cycle, "the entity '\(names[position])' descends from itself",
            object: number(position), key: ModelKey.superentity.text)
        }
        isOnPath[position] = true
        path.append(position)
        next = parents[position]
      }
      var depth = next.map { depths[$0] } ?? 0
      while let position = path.popLast() {
        depth += 1
        guard depth <= Self.depthLimit else {
          throw ArchiveError(
            .limitExceeded,
            "the entity '\(names[position])' inherits more than \(Self.depthLimit) deep",
            object: number(position), key: ModelKey.superentity.text)
        }
        depths[position] = depth
        isOnPath[position] = false
      }
    }
  }
}
