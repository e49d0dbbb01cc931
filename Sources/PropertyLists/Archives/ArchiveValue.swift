/// What stands under a key of an archived object.
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
  /// Another object, by its number in `$objects`; number 0 is nil.
  case reference(Int)
  /// An array, as under `NS.objects`.
  case array([ArchiveValue])
  /// A set of the property list.
  case set([ArchiveValue])
  /// A dictionary of the property list that is no object.
  case dictionary([ArchiveField])
}

/// A key of an archived object and its value.
public struct ArchiveField: Hashable, Sendable {
  /// The key.
  public var key: String
  /// The value.
  public var value: ArchiveValue

  /// Makes a field.
  public init(_ key: String, _ value: ArchiveValue) {
    self.key = key
    self.value = value
  }
}

/// An object of an archive, as it stands in `$objects`.
public enum ArchivedObject: Hashable, Sendable {
  /// Object 0, the text `$null`: nil.
  case null
  /// A value that stands for itself: text, a number, data.
  case value(ArchiveValue)
  /// An instance of a class, with its fields in the file's order.
  case instance(ArchiveClass, fields: [ArchiveField])
  /// The description of a class, to which its instances refer.
  case classDescription(ArchiveClass)
}
