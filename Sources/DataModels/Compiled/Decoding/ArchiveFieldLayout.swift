import PropertyLists

/// The keys of objects of the same kind, and their positions.
///
/// Thousands of a model's objects have the same keys in the same order. The keys are examined once; after that, finding
/// a field is a single table lookup.
final class ArchiveFieldLayout {
  /// The keys as stored in the file.
  let keys: BinaryScanner.References
  /// The position of the class; negative if the objects have none.
  let type: Int
  /// The flags among the keys, and their positions.
  let flags: [(position: Int, flag: PropertyFlags)]
  /// The positions of keys that aren't keys of properties.
  let unknown: [Int]
  private let positions: UnsafeMutablePointer<Int32>

  /// - Parameter key: Returns the key that a property list object represents.
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
    type = Int(positions[ModelKey.type.id])
  }

  deinit {
    positions.deallocate()
  }

  /// The position of a key; negative if the objects don't have it.
  @inline(__always)
  func position(of key: ModelKey) -> Int { Int(positions[key.id]) }
}

extension PropertyFlags {
  /// The flag that has a key of its own.
  fileprivate init?(_ key: ModelKey) {
    // Asked for the keys of a few layouts only: a dictionary would take longer to make.
    guard let row = PropertySetting.rows.first(where: { $0.archiveKey == key }) else { return nil }
    self = row.flag
  }
}
