/// The chunk that each object of a controller's contents is in.
///
/// Successive contents share one table of all objects, which describes the latest. The contents before it can still use it:
/// they record what the change moved as exceptions. Older contents can't.
final class ObjectHomes {
  private final class Table {
    var homes: [ObjectIdentifier: Int] = [:]
    var version = 0
  }

  private let table: Table
  private let version: Int
  private weak var predecessor: ObjectHomes?
  /// The objects for which the table is wrong; nil for objects that aren't here.
  private var exceptions: [ObjectIdentifier: Int?] = [:]

  init(_ list: ObjectChunks) {
    (table, version) = (Table(), 0)
    table.homes.reserveCapacity(list.count)
    list.forEachHome { table.homes[ObjectIdentifier($0)] = $1 }
  }

  private init(_ table: Table, after predecessor: ObjectHomes) {
    self.table = table
    self.predecessor = predecessor
    table.version += 1
    version = table.version
  }

  var isLatest: Bool { table.version == version }
  /// Whether the table, with the exceptions, is still right.
  var isValid: Bool { table.version <= version + 1 }

  subscript(id: ObjectIdentifier) -> Int? {
    if let exception = exceptions[id] { return exception }
    return table.homes[id]
  }

  /// The homes of the next contents; call it on the latest only.
  func makeSuccessor() -> ObjectHomes { ObjectHomes(table, after: self) }

  /// Records that an object moved to another chunk, or was removed.
  func move(_ id: ObjectIdentifier, to home: Int?) {
    if let predecessor, predecessor.exceptions[id] == nil {
      predecessor.exceptions[id] = .some(table.homes[id])
    }
    table.homes[id] = home
  }
}
