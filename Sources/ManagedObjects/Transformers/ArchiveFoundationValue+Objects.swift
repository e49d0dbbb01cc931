import DataModels
import Foundation
import PredicateFormat
import PropertyLists

/// Conversion between archived values and Foundation objects.
extension ArchiveFoundationValue {
  /// The value in its public form.
  var object: Any {
    switch self {
    case .null: NSNull()
    case .string(let text): text
    case .boolean(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value)
    case .unsigned(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    case .decimal(let decimal): HashableDecimalNumber(decimal: Decimal(decimal))
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let bytes): Data(bytes)
    case .uuid(let bytes): UUID(bytes: bytes) ?? UUID()
    case .url(let text, let base):
      URL(string: text, relativeTo: base.flatMap { URL(string: $0) }) ?? NSNull()
    case .array(let members): NSArray(array: members.map(\.object))
    case .orderedSet(let members): NSOrderedSet(array: members.map(\.object))
    case .set(let members): NSSet(array: members.map(\.object))
    case .dictionary(let entries):
      NSDictionary(
        objects: entries.map(\.value.object), forKeys: entries.map { $0.key as NSString })
    case .table(let rows):
      NSDictionary(
        objects: rows.map(\.value.object), forKeys: rows.map { Self.keyObject($0.key) })
    case .mutable(let value): Self.mutableObject(value)
    }
  }

  /// The value as a key of Foundation's dictionaries.
  private static func keyObject(_ value: ArchiveFoundationValue) -> NSObject {
    switch value.object {
    case let key as NSObject: key
    case let key as String: key as NSString
    case let key as Date: key as NSDate
    case let key as Data: key as NSData
    case let key as UUID: key as NSUUID
    case let key as URL: key as NSURL
    default: NSNull()
    }
  }

  /// The value as an object that a program can change.
  private static func mutableObject(_ value: ArchiveFoundationValue) -> Any {
    switch (value, value.object) {
    case (.string(let text), _): NSMutableString(string: text)
    case (.data, let data as Data): NSMutableData(data: data)
    case (_, let array as NSArray): NSMutableArray(array: array.map { $0 })
    case (_, let set as NSOrderedSet): NSMutableOrderedSet(array: set.array)
    case (_, let set as NSSet): NSMutableSet(array: set.allObjects)
    case (_, let entries as NSDictionary): entries.mutableCopy()
    case (_, let object): object
    }
  }

  /// Whether a value is an object that a program can change.
  private static func isMutable(_ value: Any) -> Bool {
    guard type(of: value) is AnyClass else { return false }
    return value is NSMutableArray || value is NSMutableDictionary || value is NSMutableSet
      || value is NSMutableOrderedSet || value is NSMutableString || value is NSMutableData
  }

  /// Creates the archived form of a value of a plain Foundation or Swift type; nil for other values.
  init?(plain value: Any, depth: Int = 0) {
    guard let made = ArchiveFoundationValue(immutable: value, depth: depth) else { return nil }
    self = Self.isMutable(value) ? .mutable(made) : made
  }

  private init?(immutable value: Any, depth: Int) {
    guard depth < 100 else { return nil }
    func all(_ members: [Any]) -> [ArchiveFoundationValue]? {
      let made = members.compactMap { ArchiveFoundationValue(plain: $0, depth: depth + 1) }
      return made.count == members.count ? made : nil
    }
    if let text = value as? String {
      self = .string(text)
      return
    }
    if let number = PlainNumber(value) {
      self.init(number: number)
      return
    }
    switch value {
    case is NSNull: self = .null
    case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
    case let data as Data: self = .data([UInt8](data))
    case let uuid as UUID: self = .uuid(uuid.bytes)
    case let url as URL: self = .url(url.relativeString, base: url.baseURL?.absoluteString)
    case let set as NSOrderedSet:
      guard let members = all(set.array) else { return nil }
      self = .orderedSet(members)
    // Not as Foundation's, which can't hash decimal numbers on Linux.
    case let set as Set<AnyHashable> where !(type(of: value) is AnyClass):
      guard let members = all(set.map(\.base)) else { return nil }
      self = .set(members)
    case let set as NSSet:
      guard let members = all(set.allObjects) else { return nil }
      self = .set(members)
    case let array as [Any]:
      guard let members = all(array) else { return nil }
      self = .array(members)
    case let values as [String: Any]:
      let pairs = values.sorted { $0.key < $1.key }
      guard let members = all(pairs.map(\.value)) else { return nil }
      self = .dictionary(zip(pairs.map(\.key), members).map { Entry($0, $1) })
    case let values as [AnyHashable: Any]:
      // In an order that doesn't change from one launch to the next.
      let pairs = values.sorted { "\($0.key)" < "\($1.key)" }
      guard let keys = all(pairs.map(\.key.base)), let members = all(pairs.map(\.value)) else {
        return nil
      }
      self = .table(zip(keys, members).map { Row($0.immutable, $1) })
    default: return nil
    }
  }
}

extension Decimal {
  fileprivate init(_ decimal: ArchiveDecimal) {
    let digits = Decimal(string: "\(decimal.mantissa)") ?? .nan
    self = Decimal(
      sign: decimal.isNegative ? .minus : .plus, exponent: decimal.exponent, significand: digits)
  }
}
