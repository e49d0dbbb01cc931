import DataModels
import Foundation

extension ModelSchema.Value {
  /// Describes a value of any kind.
  ///
  /// - Parameters:
  ///   - value: a value that a model holds.
  ///   - depth: how many levels of arrays and dictionaries are described.
  init(_ value: Any, depth: Int = 64) {
    switch AttributeValue(value) {
    case .none: self = .null
    case .bool(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .double(let value): self = .double(value)
    // The shortest text of a float reads back as that float; its exact value has more digits.
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
    // A description could hold an address, which is another on every run.
    default: self = .object("\(type(of: value))")
    }
  }

  /// Describes a user info dictionary.
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
