import Foundation

/// An SQL value: the result of a function, or a statement's parameter.
enum SQLValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case data(Data)

  /// Binds the value to the parameter with a number, starting from 1.
  func bind(to statement: SQLiteStatement, at index: Int32) throws {
    switch self {
    case .null: try statement.bindNull(at: index)
    case .integer(let value): try statement.bind(value, at: index)
    case .real(let value): try statement.bind(value, at: index)
    case .text(let value): try statement.bind(value, at: index)
    case .data(let value): try statement.bind(value, at: index)
    }
  }
}
