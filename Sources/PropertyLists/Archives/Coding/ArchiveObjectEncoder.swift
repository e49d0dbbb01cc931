/// Takes the fields of one object; see ``ArchiveEncodable/encode(into:)``.
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
    // Keys that begin with a dollar are the archive's own; a program's gets another before it.
    fields.append((key.utf8.first == UInt8(ascii: "$") ? "$" + key : key, value))
  }

  /// Puts a boolean into the object itself.
  public mutating func encode(_ value: Bool, forKey key: String) {
    append(.boolean(value), key)
  }

  /// Puts an integer into the object itself.
  public mutating func encode(_ value: Int, forKey key: String) {
    append(.integer(value), key)
  }

  /// Puts a floating-point number into the object itself.
  public mutating func encode(_ value: Double, forKey key: String) {
    append(.double(value), key)
  }

  /// Puts bytes into the object itself.
  public mutating func encodeBytes(_ value: some Collection<UInt8>, forKey key: String) {
    append(.bytes(Array(value)), key)
  }

  /// Puts text, which stands among the objects; `nil` is nil.
  public mutating func encode(_ value: String?, forKey key: String) {
    append(.text(value), key)
  }

  /// Puts an object, which is encoded unless it was before; `nil` is nil.
  public mutating func encode(_ object: (any ArchiveEncodable)?, forKey key: String) {
    append(.object(object), key)
  }

  /// Puts an object only if something else encodes it; otherwise the field will be nil.
  public mutating func encodeConditional(_ object: (any ArchiveEncodable)?, forKey key: String) {
    append(.conditional(object), key)
  }

  /// Puts a value of one of Foundation's plain classes: an array, dictionary, date and the like.
  public mutating func encode(_ value: ArchiveFoundationValue, forKey key: String) {
    append(.foundation(value), key)
  }

  /// Puts an array of objects, as an `NSArray`.
  public mutating func encode(_ objects: [any ArchiveEncodable], forKey key: String) {
    append(.objects(objects), key)
  }
}
