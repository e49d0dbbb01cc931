import DataModels
import Foundation

/// A property in a listing, and where the row of a statement has its value.
struct ListedColumn {
  /// Where a value comes from.
  indirect enum Source {
    /// No column: the store has no place for it.
    case nothing
    case plain(Int32, NSAttributeType)
    /// Bytes that may lie in a file of their own.
    case external(Int32, path: String)
    case composite([(name: String, source: Source)])
    case toOne(key: Int32, entity: Int32?, destination: Int)
    case toMany(ListedMembers)

    /// Whether it is a column's value as it stands.
    func isPlain(at place: Int32) -> Bool {
      if case .plain(place, _) = self { true } else { false }
    }
  }

  let name: String
  let source: Source
  /// The name with JSON's punctuation around it: `,"name":`.
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

/// The members of a to-many relationship, asked for one owner after the other.
final class ListedMembers {
  private let statement: SQLiteStatement
  private let destination: Int

  /// - Parameters:
  ///   - statement: gives the members' keys and entity numbers; the owner's key is its parameter.
  ///   - destination: the number of the entity that the relationship leads to.
  init(_ statement: SQLiteStatement, destination: Int) {
    self.statement = statement
    self.destination = destination
  }

  /// Hands the key and the entity number of each member to `body`, in the relationship's order.
  @inline(__always)
  func forEach(of owner: Int64, _ body: (Int64, Int) -> Void) throws {
    defer { statement.reset() }
    try statement.bind(owner, at: 1)
    while try statement.step() {
      body(statement.integer(at: 0), Int(truncatingIfNeeded: statement.integer(at: 1)))
    }
  }
}
