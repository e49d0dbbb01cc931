import Foundation

extension PredicateValue {
  /// Creates a constant from an object or value of the program.
  ///
  /// Foundation's classes and their Swift counterparts become the corresponding cases; nil, and optionals without a
  /// value, become ``null``; anything else becomes ``object(_:)``. Sets are sorted by their elements' printed form, so
  /// that equal sets result in equal values.
  public init(bridging any: Any?) { self = PredicateValue(reading: any).ordered }

  /// Creates a value for evaluating a predicate: like ``init(bridging:)``, but without sorting the elements of sets and
  /// entries of dictionaries.
  public init(reading any: Any?) {
    guard let value = any else {
      self = .null
      return
    }
    self = Self.scalar(value) ?? Self.collection(value) ?? Self.other(value)
  }

  /// The value with sets and dictionaries sorted by their elements' text.
  private var ordered: PredicateValue {
    switch self {
    case .array(let elements): .array(elements.map(\.ordered))
    case .orderedSet(let elements): .orderedSet(elements.map(\.ordered))
    case .set(let elements): .set(Self.sorted(elements.map(\.ordered)) { $0 })
    case .dictionary(let entries):
      .dictionary(
        Self.sorted(entries.map { Entry(key: $0.key, value: $0.value.ordered) }) { $0.key })
    default: self
    }
  }

  private static func sorted<Element>(
    _ elements: [Element], by value: (Element) -> PredicateValue
  ) -> [Element] {
    elements.map { (text: ExpressionTree.constant(value($0)).canonicalFormat, element: $0) }
      .sorted { $0.text < $1.text }.map(\.element)
  }

  private static func scalar(_ value: Any) -> PredicateValue? {
    switch type(of: value) {
    case is AnyClass: return object(of: value)
    case is Bool.Type: return (value as? Bool).map { .bool($0) }
    case is Double.Type: return (value as? Double).map { .double($0) }
    case is Float.Type: return (value as? Float).map { .float($0) }
    default: break
    }
    switch value {
    case let string as String: return .string(string)
    case let integer as any FixedWidthInteger: return .init(integer)
    case let date as Date: return .date(date)
    case let decimal as Decimal: return .decimal(decimal)
    case let data as Data: return .data(data)
    case let uuid as UUID: return .uuid(uuid)
    case let url as URL: return .url(url)
    // `CGFloat`, and whatever else there is.
    case let number as any BinaryFloatingPoint: return .double(Double(number))
    case let value as PredicateValue: return value
    case let substring as Substring: return .string(String(substring))
    case let character as Character: return .string(String(character))
    default: return nil
    }
  }

  /// Creates an integer of any width that fits in 64 bits.
  init(_ integer: some FixedWidthInteger) {
    if let signed = Int64(exactly: integer) {
      self = .integer(signed)
    } else if let unsigned = UInt64(exactly: integer) {
      self = .unsigned(unsigned)
    } else {
      self = .object(OpaqueObject(integer))
    }
  }

  private static func object(of value: Any) -> PredicateValue? {
    switch value {
    case is NSNull: .nsNull
    case let number as NSDecimalNumber: .decimal(number.decimalValue)
    case let number as NSNumber: .init(number)
    case let string as NSString: .string(String(string))
    case let date as NSDate: .date(date as Date)
    case let data as NSData: .data(data as Data)
    case let uuid as NSUUID: .uuid(uuid as UUID)
    case let url as NSURL: .url(url as URL)
    case let array as NSArray: .array(array.map { PredicateValue(reading: $0) })
    case let set as NSSet: .set(set.map { PredicateValue(reading: $0) })
    case let set as NSOrderedSet: .orderedSet(set.map { PredicateValue(reading: $0) })
    case let dictionary as NSDictionary:
      .dictionary(
        dictionary.map {
          Entry(key: PredicateValue(reading: $0.key), value: PredicateValue(reading: $0.value))
        })
    default: nil
    }
  }

  private init(_ number: NSNumber) {
    switch UInt8(bitPattern: number.objCType.pointee) {
    // A truth value, or a number of 8 bits: Foundation doesn't tell which.
    case UInt8(ascii: "c"):
      let value = number.int8Value
      self = value == 0 || value == 1 ? .bool(value == 1) : .integer(Int64(value))
    case UInt8(ascii: "d"): self = .double(number.doubleValue)
    case UInt8(ascii: "f"): self = .float(number.floatValue)
    case UInt8(ascii: "Q"): self = PredicateValue(number.uint64Value)
    default: self = .integer(number.int64Value)
    }
  }

  private static func collection(_ value: Any) -> PredicateValue? {
    switch value {
    case let array as [Any]: .array(array.map { PredicateValue(reading: $0) })
    case let set as Set<AnyHashable>: .set(set.map { PredicateValue(reading: $0.base) })
    case let dictionary as [AnyHashable: Any]:
      .dictionary(
        dictionary.map {
          Entry(
            key: PredicateValue(reading: $0.key.base), value: PredicateValue(reading: $0.value))
        })
    default: nil
    }
  }

  private static func other(_ value: Any) -> PredicateValue {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
      // With the Objective-C runtime, an optional without a value converted to `Any` is `NSNull`.
      return mirror.children.first.map { PredicateValue(reading: $0.value) } ?? .nsNull
    }
    if let type = value as? AnyClass {
      // Foundation's function crashes for nested types, whose names have more than two components; its own classes are
      // named without a module.
      let name = String(reflecting: type)
      return .className(name.hasPrefix("Foundation.") ? NSStringFromClass(type) : name)
    }
    return .object(OpaqueObject(value))
  }

  /// The value as an object of the program, as in Foundation: numbers are `NSNumber`s, so that they can be cast to any
  /// Swift number type; `String`, `Date`, `[Any]`, …; nil for ``null``, `NSNull` for ``nsNull``.
  public var foundationValue: Any? {
    switch self {
    case .null: nil
    case .nsNull: NSNull()
    case .bool(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value)
    case .unsigned(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    case .float(let value): NSNumber(value: value)
    case .decimal(let value): HashableDecimalNumber(decimal: value)
    case .string(let value): value
    case .date(let value): value
    case .data(let value): value
    case .uuid(let value): value
    case .url(let value): value
    case .array(let values): values.map { $0.foundationValue ?? NSNull() }
    case .set(let values): Set(values.map { $0.hashableValue })
    case .orderedSet(let values):
      NSOrderedSet(array: values.map { $0.foundationValue ?? NSNull() })
    case .dictionary(let entries):
      Dictionary(
        entries.map { ($0.key.hashableValue, $0.value.foundationValue ?? NSNull()) },
        uniquingKeysWith: { first, _ in first })
    case .className(let name): name
    case .object(let object): object.base
    }
  }

  /// The value as an element or key of a Swift collection, where an `NSNumber` would not be equal to the corresponding
  /// Swift number.
  private var hashableValue: AnyHashable {
    switch self {
    case .bool(let value): value
    case .integer(let value): Int(exactly: value).map { AnyHashable($0) } ?? AnyHashable(value)
    case .unsigned(let value): value
    case .double(let value): value
    case .float(let value): value
    // Unlike a Decimal, it survives the conversion of its collection to one of Foundation's.
    case .decimal(let value): HashableDecimalNumber(decimal: value)
    default: (foundationValue as? AnyHashable) ?? AnyHashable(self)
    }
  }
}
