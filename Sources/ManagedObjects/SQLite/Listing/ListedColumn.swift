import DataModels
import Foundation

/// A property in a listing, and the position of its value in a statement's row.
struct ListedColumn {
  /// The source of a value.
  indirect enum Source {
    /// No column: the store doesn't contain the property.
    case nothing
    case plain(Int32, NSAttributeType)
    /// Bytes that may be in an external file.
    case external(Int32, path: String)
    case composite([(name: String, source: Source)])
    case toOne(key: Int32, entity: Int32?, destination: Int)
    case toMany(ListedMembers)

    /// Whether this is the unmodified value of a column.
    func isPlain(at place: Int32) -> Bool {
      if case .plain(place, _) = self { true } else { false }
    }
  }

  let name: String
  let source: Source
  /// The name with JSON punctuation: `,"name":`.
  let key: [UInt8]

  init(name: String, source: Source) {
    self.name = name
    self.source = source
    var key = ListedText()
    key.append(UInt8(ascii: ","))
    key.append(json: name.utf8)
    key.append(UInt8(ascii: ":"))
    self.key = key.bytes
  }
}

/// The members of a to-many relationship, queried per owner.
final class ListedMembers {
  private let statement: SQLiteStatement
  private let destination: SchemaEntity

  /// - Parameters:
  ///   - statement: selects the members' keys and entity numbers; its parameter is the owner's key.
  ///   - destination: the relationship's destination entity.
  init(_ statement: SQLiteStatement, destination: SchemaEntity) {
    self.statement = statement
    self.destination = destination
  }

  /// Calls `body` with the key and the entity number of each member, in the relationship's order. A row with a number
  /// that no member can have, as in a table of a single entity, whose numbers Core Data never reads, counts as one of the
  /// destination.
  @inline(__always)
  func forEach(of owner: Int64, _ body: (Int64, Int) -> Void) throws {
    defer { statement.reset() }
    try statement.bind(owner, at: 1)
    let numbers = destination.numbers
    while try statement.step() {
      let number = Int(truncatingIfNeeded: statement.integer(at: 1))
      body(statement.integer(at: 0), numbers.contains(number) ? number : destination.number)
    }
  }
}
