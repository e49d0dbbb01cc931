import KeyedArchive

/// Puts the links between super- and subentities together and refuses circles.
struct HierarchyDecoder {
  /// Each entity's superentity, by position.
  private(set) var parents: [Int?]
  /// Each entity's subentities, in the order of its archive.
  private(set) var children: [[Int]]
  private let names: [String]
  private var listed: [[Int]]

  init(names: [String]) {
    self.names = names
    parents = Array(repeating: nil, count: names.count)
    children = Array(repeating: [], count: names.count)
    listed = Array(repeating: [], count: names.count)
  }

  /// Takes what one entity's archive says.
  mutating func add(
    _ position: Int, superentity: Int?, subentities: [Int]
  ) throws(ArchiveError) {
    parents[position] = superentity
    listed[position] = subentities
  }

  /// Settles the hierarchy: the superentities decide, the subentities' lists give the order.
  ///
  /// - Throws: ``ArchiveError`` when an entity is listed below another than its superentity, or
  ///   descends from itself.
  mutating func check(number: (Int) -> Int) throws(ArchiveError) {
    var isListed = Array(repeating: false, count: names.count)
    for (position, members) in listed.enumerated() {
      for member in members {
        guard parents[member] == position, !isListed[member] else {
          throw ArchiveError(
            .invalidContent,
            "\"\(names[member])\" is listed below \"\(names[position])\", which is not its"
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

  private func checkCircles(number: (Int) -> Int) throws(ArchiveError) {
    // 0 is unseen, a larger number is the walk that saw it.
    var walks = Array(repeating: 0, count: names.count)
    for start in parents.indices {
      var next: Int? = start
      while let position = next, walks[position] == 0 {
        walks[position] = start + 1
        next = parents[position]
      }
      if let position = next, walks[position] == start + 1 {
        throw ArchiveError(
          .cycle, "the entity \"\(names[position])\" descends from itself",
          object: number(position), key: ModelKey.superentity.text)
      }
    }
  }
}
