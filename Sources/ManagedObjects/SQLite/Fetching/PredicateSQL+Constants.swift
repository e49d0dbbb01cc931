import DataModels
import Foundation
import PredicateFormat

/// Constants of predicates.
extension PredicateSQL {
  /// The parameter for comparing a constant with values of a type; nil if it is of an incompatible type.
  func parameter(_ value: PredicateValue, for type: SQLOperand.ValueType) -> SQLValue? {
    switch (type, value) {
    // SQLite compares integers with real numbers exactly. Decimals are stored as double as far as they fit in one.
    case (.decimal, .integer(let number)):
      Int64(exactly: Double(number)) == number ? .integer(number) : .real(Double(number))
    case (_, .integer(let number)) where type.isComputed: .integer(number)
    case (_, .bool(let flag)) where type.isComputed: .integer(flag ? 1 : 0)
    case (_, .double(let number)) where type.isComputed: number.isNaN ? nil : .real(number)
    case (_, .float(let number)) where type.isComputed: number.isNaN ? nil : .real(Double(number))
    case (_, .decimal(let number)) where type.isComputed:
      type == .decimal
        ? Double(number.description).map { .real($0) }
        : Int64(number.description).map { .integer($0) }
          ?? Double(number.description).map { .real($0) }
    case (_, .date(let date)) where type.isComputed: .real(date.timeIntervalSinceReferenceDate)
    case (.text, .string(let text)): .text(text)
    case (.uuid, .uuid(let uuid)): .data(Data(uuid.bytes))
    case (.url, .url(let url)): .text(url.absoluteString)
    case (.object(let root), .object(let object)): key(of: object.base, root: root)
    case (.entity, .object(let object)): number(of: object.base)
    default: nil
    }
  }

  func constant(_ value: PredicateValue) -> SQLOperand? {
    let type: SQLOperand.ValueType
    switch value {
    case .integer, .bool: type = .integer
    case .double, .float: type = .real
    case .string: type = .text
    case .date: type = .date
    default: return nil
    }
    return parameter(value, for: type).map { SQLOperand(bind($0), type) }
  }

  private func key(of object: Any, root: Int) -> SQLValue? {
    let id = (object as? NSManagedObject)?.objectID ?? object as? NSManagedObjectID
    guard let id = id?.permanentID else { return nil }
    // An object of another store or hierarchy equals no row.
    guard id.storeReference === engine.reference,
      engine.numbers[ObjectIdentifier(id.layout.root)] == root
    else { return .integer(-1) }
    return .integer(id.key)
  }

  private func number(of object: Any) -> SQLValue? {
    guard let entity = object as? NSEntityDescription else { return nil }
    let known = engine.schema.entities.first { $0.description === entity || $0.name == entity.name }
    return .integer(Int64(known?.number ?? -1))
  }
}

extension SQLValue {
  /// Several values as a single one, a JSON array for `json_each`; nil for values that JSON doesn't preserve.
  static func list(_ values: [SQLValue]) -> SQLValue? {
    var integers: [Int64] = []
    var texts: [String] = []
    for value in values {
      switch value {
      case .integer(let number): integers.append(number)
      case .text(let text) where !text.utf8.contains(0): texts.append(text)
      default: return nil
      }
    }
    if texts.isEmpty {
      return .text("[\(integers.map(String.init).joined(separator: ","))]")
    }
    guard integers.isEmpty, let data = try? JSONEncoder().encode(texts) else { return nil }
    return .text(String(decoding: data, as: UTF8.self))
  }

  /// Several UUIDs as two values, as JSON has no bytes: those of all UUIDs in a row, and a JSON array of their places for
  /// `json_each`; nil for other values.
  static func joinedUUIDs(_ values: [SQLValue]) -> (bytes: SQLValue, places: SQLValue)? {
    var bytes = Data(capacity: 16 * values.count)
    for value in values {
      guard case .data(let data) = value, data.count == 16 else { return nil }
      bytes.append(data)
    }
    let places = values.indices.map { "\($0)" }.joined(separator: ",")
    return (.data(bytes), .text("[\(places)]"))
  }
}
