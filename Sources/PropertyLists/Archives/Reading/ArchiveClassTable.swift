/// The classes that an archive describes, by the number of the object that describes each.
///
/// Not a dictionary: one with numbers as keys would be the first of many programs, and making that type takes longer
/// than opening a small archive.
final class ArchiveClassTable: @unchecked Sendable {
  // Sendable: filled before the archive is shared, and immutable afterwards.
  private var types: [ArchiveClass] = []
  /// For each object of the archive, the position of its class after the first; 0 for none.
  private var places: [UInt32]

  /// Creates an empty table.
  ///
  /// - Parameter count: The number of objects in the archive.
  init(objectCount count: Int = 0) { places = Array(repeating: 0, count: count) }

  /// Adds a class that isn't in the table.
  func add(_ type: ArchiveClass, describedBy number: Int) {
    types.append(type)
    places[number] = UInt32(truncatingIfNeeded: types.count)
  }

  /// The class that an object describes; `nil` if it isn't referenced as a class.
  subscript(number: Int) -> ArchiveClass? {
    guard places.indices.contains(number), places[number] > 0 else { return nil }
    return types[Int(places[number]) - 1]
  }
}
