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

  /// Puts a boolean into the object itself.
  public mutating func encode(_ value: Bool, forKey key: String) {
    fields.append((key, .boolean(value)))
  }

  /// Puts an integer into the object itself.
  public mutating func encode(_ value: Int, forKey key: String) {
    fields.append((key, .integer(value)))
  }

  /// Puts a floating-point number into the object itself.
  public mutating func encode(_ value: Double, forKey key: String) {
    fields.append((key, .double(value)))
  }

  /// Puts bytes into the object itself.
  public mutating func encodeBytes(_ value: some Collection<UInt8>, forKey key: String) {
    fields.append((key, .bytes(Array(value))))
  }

  /// Puts text, which stands among the objects; `nil` is nil.
  public mutating func encode(_ value: String?, forKey key: String) {
    fields.append((key, .text(value)))
  }

  /// Puts an object, which is encoded unless it was before; `nil` is nil.
  public mutating func encode(_ object: (any ArchiveEncodable)?, forKey key: String) {
    fields.append((key, .object(object)))
  }

  /// Puts an object only if something else encodes it; otherwise the field will be nil.
  public mutating func encodeConditional(_ object: (any ArchiveEncodable)?, forKey key: String) {
    fields.append((key, .conditional(object)))
  }

  /// Puts a value of one of Foundation's plain classes: an array, dictionary, date and the like.
  public mutating func encode(_ value: ArchiveFoundationValue, forKey key: String) {
    fields.append((key, .foundation(value)))
  }

  /// Puts an array of objects, as an `NSArray`.
  public mutating func encode(_ objects: [any ArchiveEncodable], forKey key: String) {
    fields.append((key, .objects(objects)))
  }
}
