/// A value of one of Foundation's plain classes, as found in archives.
public indirect enum ArchiveFoundationValue: Hashable, Sendable {
  /// `NSNull`.
  case null
  /// A string: `NSString`, `NSMutableString`.
  case string(String)
  /// An `NSNumber` of a boolean.
  case boolean(Bool)
  /// An `NSNumber` of an integer.
  case integer(Int)
  /// An `NSNumber` of an integer over the largest signed one.
  case unsigned(UInt64)
  /// An `NSNumber` of a floating-point number.
  case double(Double)
  /// An `NSDecimalNumber`.
  case decimal(ArchiveDecimal)
  /// An `NSDate`: seconds since 2001-01-01.
  case date(Double)
  /// `NSData`, `NSMutableData`.
  case data([UInt8])
  /// An `NSUUID`: 16 bytes.
  case uuid([UInt8])
  /// An `NSURL`: its string, and the string of its base URL.
  case url(String, base: String?)
  /// `NSArray`, `NSMutableArray`.
  case array([ArchiveFoundationValue])
  /// `NSOrderedSet`, `NSMutableOrderedSet`, whose members have keys of their own: `NS.object.0`, `NS.object.1` and so
  /// on.
  case orderedSet([ArchiveFoundationValue])
  /// `NSSet`, `NSMutableSet`, in archive order.
  case set([ArchiveFoundationValue])
  /// `NSDictionary`, `NSMutableDictionary` with string keys, in archive order.
  case dictionary([Entry])

  /// `NSDictionary`, `NSMutableDictionary` with keys of any other plain class among them, in archive order.
  case table([Row])
  /// A value of a mutable class, such as `NSMutableArray`, where that makes a difference to a program.
  case mutable(ArchiveFoundationValue)

  /// A key of a dictionary and its value.
  public struct Entry: Hashable, Sendable {
    /// The key.
    public var key: String
    /// The value.
    public var value: ArchiveFoundationValue

    /// Creates an entry.
    public init(_ key: String, _ value: ArchiveFoundationValue) {
      self.key = key
      self.value = value
    }
  }

  /// A key of a dictionary, of any class, and its value.
  public struct Row: Hashable, Sendable {
    /// The key.
    public var key: ArchiveFoundationValue
    /// The value.
    public var value: ArchiveFoundationValue

    /// Creates a row.
    public init(_ key: ArchiveFoundationValue, _ value: ArchiveFoundationValue) {
      self.key = key
      self.value = value
    }
  }

  static let arrayClass = ArchiveClass("NSArray", "NSObject")

  var archiveClass: ArchiveClass {
    switch self {
    case .null: ArchiveClass("NSNull", "NSObject")
    case .string: ArchiveClass("NSString", "NSObject")
    case .boolean, .integer, .unsigned, .double: ArchiveClass("NSNumber", "NSValue", "NSObject")
    case .decimal:
      ArchiveClass(
        "NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue", "NSObject")
    case .date: ArchiveClass("NSDate", "NSObject")
    case .data: ArchiveClass("NSData", "NSObject")
    case .uuid: ArchiveClass("NSUUID", "NSObject")
    case .url: ArchiveClass("NSURL", "NSObject")
    case .array: Self.arrayClass
    case .orderedSet: ArchiveClass("NSOrderedSet", "NSObject")
    case .set: ArchiveClass("NSSet", "NSObject")
    case .dictionary, .table: ArchiveClass("NSDictionary", "NSObject")
    case .mutable(let value): value.archiveClass.mutableSubclass
    }
  }
}

extension ArchiveFoundationValue {
  /// The value without the mark of a mutable class; the members of collections keep theirs.
  package var immutable: ArchiveFoundationValue {
    if case .mutable(let value) = self { value } else { self }
  }
}

extension ArchiveClass {
  /// The plain classes of which there are mutable ones.
  private static let mutableClasses = [
    "NSMutableArray", "NSMutableData", "NSMutableDictionary", "NSMutableOrderedSet", "NSMutableSet",
    "NSMutableString",
  ]

  /// Whether it is one of Foundation's mutable classes, or a subclass.
  var isMutable: Bool { Self.mutableClasses.contains { isKind(of: $0) } }

  /// The mutable subclass of one of Foundation's classes: `NSMutableArray` of `NSArray`.
  var mutableSubclass: ArchiveClass {
    let name = "NSMutable\(name.dropFirst(2))"
    return Self.mutableClasses.contains(name) ? ArchiveClass(name, self.name, "NSObject") : self
  }
}
