/// Collects the fields of one object; see ``ArchiveEncodable/encode(into:)``.
public struct ArchiveObjectEncoder {
  enum Value {
    case boolean(Bool)
    case integer(Int)
    case double(Double)
    case bytes([UInt8])
    case text(String?)
    case foundation(ArchiveFoundationValue)
    case object((any ArchiveEncodable)?)
    case conditional((any ArchiveEncodable)?)
    case objects([any ArchiveEncodable])
  }

  private(set) var fields: [(key: String, value: Value)] = []

  init() {}

  private mutating func append(_ value: Value, _ key: String) {
    // Keys with a leading dollar sign are reserved for the archive; a program's own such key gets a second one.
    fields.append((key.utf8.first == UInt8(ascii: "$") ? "$" + key : key, value))
  }

  /// Encodes a boolean in the object itself.
  public mutating func encode(_ value: Bool, forKey key: String) {
    append(.boolean(value), key)
  }

  /// Encodes an integer in the object itself.
  public mutating func encode(_ value: Int, forKey key: String) {
    append(.integer(value), key)
  }

  /// Encodes a floating-point number in the object itself.
  public mutating func encode(_ value: Double, forKey key: String) {
    append(.double(value), key)
  }

  /// Encodes bytes in the object itself.
  public mutating func encodeBytes(_ value: some Collection<UInt8>, forKey key: String) {
    append(.bytes(Array(value)), key)
  }

  /// Encodes a string, which is stored in `$objects`; `nil` is encoded as nil.
  public mutating func encode(_ value: String?, forKey key: String) {
    append(.text(value), key)
  }

  /// Encodes a reference to an object, and the object itself if it has not been encoded yet; `nil` is encoded as nil.
  public mutating func encode(_ object: (any ArchiveEncodable)?, forKey key: String) {
    append(.object(object), key)
  }

  /// Encodes a reference to an object only if something else encodes the object; otherwise the field will be nil.
  public mutating func encodeConditional(_ object: (any ArchiveEncodable)?, forKey key: String) {
    append(.conditional(object), key)
  }

  /// Encodes a value of one of Foundation's plain classes, such as an array, dictionary or date.
  public mutating func encode(_ value: ArchiveFoundationValue, forKey key: String) {
    append(.foundation(value), key)
  }

  /// Encodes an array of objects as an `NSArray`.
  public mutating func encode(_ objects: [any ArchiveEncodable], forKey key: String) {
    append(.objects(objects), key)
  }
}
