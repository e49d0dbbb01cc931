import DataModels
import Foundation

extension ModelSchema.Value {
  /// Creates the schema of a value of any kind.
  ///
  /// - Parameters:
  ///   - value: A value in a model.
  ///   - depth: The number of levels of arrays and dictionaries to include.
  init(_ value: Any, depth: Int = 64) {
    switch AttributeValue(value) {
    case .none: self = .null
    case .bool(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .double(let value): self = .double(value)
    // The shortest decimal form of a float parses as the same float; its exact value has more digits.
    case .float(let value): self = .double(Double("\(value)") ?? Double(value))
    case .string(let value): self = .string(value)
    case .other(let box): self.init(unusual: box.value, depth: depth)
    }
  }

  private init(unusual value: Any, depth: Int) {
    switch value {
    case let value as Decimal: self = .decimal(value)
    case let value as Date: self = .date(value.timeIntervalSinceReferenceDate)
    case let value as Data: self = .data(value)
    case let value as UUID: self = .uuid(value)
    case let value as URL: self = .uri(value.absoluteString)
    case let values as [Any] where depth > 0:
      self = .array(values.map { Self($0, depth: depth - 1) })
    case let values as [AnyHashable: Any] where depth > 0:
      self = .dictionary(Self.entries(values, depth: depth - 1))
    case let values as NSOrderedSet where depth > 0:
      self = .array(values.array.map { Self($0, depth: depth - 1) })
    case let values as Set<AnyHashable> where depth > 0:
      self = Self.set(values.map(\.base), depth: depth - 1)
    case let values as NSSet where depth > 0:
      self = Self.set(values.allObjects, depth: depth - 1)
    // A description could contain an address, which differs between runs.
    default: self = .object("\(type(of: value))")
    }
  }

  /// The members of a set, which have no order, sorted by their textual form.
  private static func set(_ members: [Any], depth: Int) -> Self {
    .array(
      members.map { Self($0, depth: depth) }.map { (text: "\($0)", value: $0) }
        .sorted { $0.text < $1.text }.map(\.value))
  }

  /// Creates the schema of a user info dictionary.
  static func userInfo(_ dictionary: [AnyHashable: Any]?) -> [String: Self] {
    entries(dictionary ?? [:], depth: 64)
  }

  private static func entries(_ dictionary: [AnyHashable: Any], depth: Int) -> [String: Self] {
    var entries: [String: Self] = [:]
    for (key, value) in dictionary {
      entries["\(key)"] = Self(value, depth: depth)
    }
    return entries
  }
}
