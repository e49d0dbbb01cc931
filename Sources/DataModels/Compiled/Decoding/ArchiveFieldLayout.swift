import PropertyLists

/// Which keys the objects of one kind have, and where.
///
/// Thousands of a model's objects have the same keys in the same order. Their keys are looked at
/// once; from then on a field is found by one load from a table.
final class ArchiveFieldLayout {
  /// The keys as they stand in the file.
  let keys: BinaryScanner.References
  /// The flags among the keys, and where each stands.
  let flags: [(position: Int, flag: PropertyFlags)]
  /// Where the keys stand that no property has.
  let unknown: [Int]
  private let positions: UnsafeMutablePointer<Int32>

  /// - Parameter key: The key that an object of the property list is.
  init(_ keys: BinaryScanner.References, key: (Int) -> ModelKey?) {
    self.keys = keys
    let tableSize = ModelKey.allCases.count
    positions = .allocate(capacity: tableSize)
    positions.initialize(repeating: -1, count: tableSize)
    var flags: [(position: Int, flag: PropertyFlags)] = []
    var unknown: [Int] = []
    for position in 0..<keys.count {
      guard let key = key(keys[position]), key.isOfProperties else {
        unknown.append(position)
        continue
      }
      positions[key.id] = Int32(truncatingIfNeeded: position)
      if let flag = PropertyFlags(key) { flags.append((position, flag)) }
    }
    self.flags = flags
    self.unknown = unknown
  }

  deinit {
    positions.deallocate()
  }

  /// Where a key stands; negative when it is none of the keys.
  @inline(__always)
  func position(of key: ModelKey) -> Int { Int(positions[key.id]) }
}

extension PropertyFlags {
  private static let byKey = Dictionary(
    uniqueKeysWithValues: PropertySetting.rows.compactMap { row in
      row.archiveKey.map { ($0, row.flag) }
    })

  /// The flag that a key of its own stands for.
  fileprivate init?(_ key: ModelKey) {
    guard let flag = Self.byKey[key] else { return nil }
    self = flag
  }
}
