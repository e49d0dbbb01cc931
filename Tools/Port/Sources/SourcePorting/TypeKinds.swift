/// The types that sources declare, by what they are to Objective-C.
struct TypeKinds {
  /// Structures and actors, and the enumerations and protocols that only Swift knows.
  var native: Set<String> = []
  /// The enumerations that are marked `@objc`.
  var enumerations: Set<String> = []
  /// The protocols that are marked `@objc`.
  var protocols: Set<String> = []

  mutating func formUnion(_ other: TypeKinds) {
    native.formUnion(other.native)
    enumerations.formUnion(other.enumerations)
    protocols.formUnion(other.protocols)
  }
}

extension TypeKinds {
  /// Numbers and structures of C, which can't be optional in Objective-C.
  static let scalars: Set<String> = [
    "Bool", "CGAffineTransform", "CGFloat", "CGPoint", "CGRect", "CGSize", "CGVector", "Decimal",
    "Double", "Float", "Int", "Int16", "Int32", "Int64", "Int8", "NSInteger", "NSPoint", "NSRange",
    "NSRect", "NSSize", "NSUInteger", "TimeInterval", "UInt", "UInt16", "UInt32", "UInt64", "UInt8",
  ]

  /// Collections, whose elements must be objects in Objective-C, too.
  static let collections: Set<String> = ["Array", "Dictionary", "Set"]

  /// Foundation's other types that are objects in Objective-C, except for those whose names begin with `NS`.
  static let objects: Set<String> = [
    "AffineTransform", "Any", "AnyHashable", "AnyObject", "BlockOperation", "Bundle",
    "ByteCountFormatter", "Calendar", "CharacterSet", "Data", "Date", "DateComponents",
    "DateComponentsFormatter", "DateFormatter", "DateInterval", "DateIntervalFormatter",
    "Dimension", "Error", "FileHandle", "FileManager", "Formatter", "ISO8601DateFormatter",
    "IndexPath", "IndexSet", "InputStream", "Locale", "Measurement", "MeasurementFormatter",
    "Notification", "NotificationCenter", "NumberFormatter", "Operation", "OperationQueue",
    "OutputStream", "PersonNameComponents", "PersonNameComponentsFormatter", "Pipe", "Process",
    "ProcessInfo", "Progress", "Scanner", "String", "Thread", "TimeZone", "Timer", "URL",
    "URLComponents", "URLQueryItem", "URLRequest", "URLSession", "URLSessionTask", "UUID",
    "UndoManager", "Unit", "UserDefaults", "ValueTransformer",
  ]

  /// The modules that these types may be qualified by.
  static let modules: Set<String> = ["CoreData", "CoreGraphics", "Foundation", "Swift"]
}
