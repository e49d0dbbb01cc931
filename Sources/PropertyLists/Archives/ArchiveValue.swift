/// The value of a key of an archived object.
public indirect enum ArchiveValue: Hashable, Sendable {
  /// The null of a property list, which archivers do not write.
  case null
  /// A boolean.
  case boolean(Bool)
  /// An integer, with its width in bytes in the file.
  case integer(Int128, width: Int)
  /// A 32-bit floating-point number.
  case float(Float)
  /// A 64-bit floating-point number.
  case double(Double)
  /// A date, in seconds since 2001-01-01.
  case date(Double)
  /// Bytes.
  case data([UInt8])
  /// Text.
  case string(String)
  /// A reference to another object by its number in `$objects`; number 0 is nil.
  case reference(Int)
  /// An array, such as the value of `NS.objects`.
  case array([ArchiveValue])
  /// A property list set.
  case set([ArchiveValue])
  /// A property list dictionary that is not an archived object.
  case dictionary([ArchiveField])
}

/// A key of an archived object and its value.
public struct ArchiveField: Hashable, Sendable {
  /// The key.
  public var key: String
  /// The value.
  public var value: ArchiveValue

  /// Creates a field.
  public init(_ key: String, _ value: ArchiveValue) {
    self.key = key
    self.value = value
  }
}

/// An object in an archive's `$objects`.
public enum ArchivedObject: Hashable, Sendable {
  /// Object 0, the string `$null`, which represents nil.
  case null
  /// A plain value: a string, a number or data.
  case value(ArchiveValue)
  /// An instance of a class, with its fields in file order.
  case instance(ArchiveClass, fields: [ArchiveField])
  /// The description of a class, referenced by its instances.
  case classDescription(ArchiveClass)
}
