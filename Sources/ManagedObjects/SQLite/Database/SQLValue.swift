import Foundation

/// A value as SQL knows them: what a function answers, and what a statement gets when it runs.
enum SQLValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case data(Data)

  /// Gives it to the parameter with its number, from 1.
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
