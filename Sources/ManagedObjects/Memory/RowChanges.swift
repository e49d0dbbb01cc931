import Foundation

/// The rows of one kind in a save: those of objects, or rows of their own.
///
/// A row of an object is looked up in the object whenever it is asked for: a save of a hundred thousand objects would
/// otherwise fill megabytes with what the objects hold already.
@_spi(Engines) public struct RowChanges: RandomAccessCollection {
  /// The objects whose rows these are; empty if the rows have no objects.
  private let objects: [NSManagedObject]
  private var rows: [RowChange] = []

  /// Creates a collection without rows.
  init() { objects = [] }

  /// Creates the rows of objects.
  init(_ objects: [NSManagedObject]) { self.objects = objects }

  /// The first row's position.
  public var startIndex: Int { 0 }

  /// The position after the last row's: the number of rows.
  @inline(__always)
  public var endIndex: Int { objects.isEmpty ? rows.count : objects.count }

  /// The row at a position.
  @inline(__always)
  public subscript(position: Int) -> RowChange {
    guard !objects.isEmpty else { return rows[position] }
    return objects.visit(at: position) { RowChange($0) }
  }

  /// Adds a row without an object.
  mutating func append(_ row: RowChange) {
    precondition(objects.isEmpty, "rows without objects can't be saved together with objects")
    rows.append(row)
  }
}
