import Foundation

extension ModelSchema {
  /// A value in a model: a default value, a value in a user info dictionary, or a warning.
  ///
  /// Strings, booleans, integers, finite doubles, arrays and dictionaries are represented as such in JSON. Values that
  /// JSON can't represent are objects with one key that starts with `$`:
  ///
  /// | case | JSON |
  /// |---|---|
  /// | `null` | `{"$null": true}` |
  /// | `double`, not finite | `{"$double": "nan"}`, `"inf"` or `"-inf"` |
  /// | `decimal` | `{"$decimal": "0.10"}` |
  /// | `date` | `{"$date": 86400}`, seconds since the start of 2001, UTC |
  /// | `data` | `{"$data": "AAEC"}`, base64 |
  /// | `uuid` | `{"$uuid": "…"}` |
  /// | `uri` | `{"$uri": "…"}` |
  /// | `object` | `{"$object": "description"}` |
  ///
  /// A dictionary's own keys that start with `$` are prefixed with another `$`.
  public indirect enum Value: Hashable, Sendable {
    /// `NSNull`, which represents the absence of a value.
    case null
    /// A boolean.
    case boolean(Bool)
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case double(Double)
    /// A decimal number.
    case decimal(Decimal)
    /// A string.
    case string(String)
    /// A date, in seconds since the start of 2001, UTC.
    case date(Double)
    /// Bytes.
    case data(Data)
    /// A UUID.
    case uuid(UUID)
    /// A URI, as text.
    case uri(String)
    /// Values in order.
    case array([Value])
    /// Values by key.
    case dictionary([String: Value])
    /// Any other value, by its description.
    case object(String)
  }
}

extension ModelSchema.Value: Codable {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Decodes a value from its JSON form.
  public init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if let value = try? single.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? single.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? single.decode(Double.self) {
      self = .double(value)
    } else if let value = try? single.decode(String.self) {
      self = .string(value)
    } else if let values = try? single.decode([Self].self) {
      self = .array(values)
    } else {
      self = try Self.decodeObject(decoder.container(keyedBy: Key.self))
    }
  }

  private static func decodeObject(_ container: KeyedDecodingContainer<Key>) throws -> Self {
    if let key = container.allKeys.first, container.allKeys.count == 1,
      key.stringValue.hasPrefix("$"), !key.stringValue.hasPrefix("$$")
    {
      return try decodeSpecial(container, key)
    }
    var values: [String: Self] = [:]
    for key in container.allKeys {
      let name =
        key.stringValue.hasPrefix("$$") ? key.stringValue.dropFirst() : key.stringValue[...]
      values[String(name)] = try container.decode(Self.self, forKey: key)
    }
    return .dictionary(values)
  }

  private static func decodeSpecial(
    _ container: KeyedDecodingContainer<Key>, _ key: Key
  ) throws -> Self {
    func text() throws -> String { try container.decode(String.self, forKey: key) }
    var value: Self?
    switch key.stringValue {
    case "$null": value = .null
    case "$double": value = Double(try text()).map { .double($0) }
    case "$decimal":
      // Foundation's scanner crashes on an emoji.
      let digits = try text()
      value =
        digits.utf8.allSatisfy { $0 < 0x80 }
        ? Decimal(string: digits, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) }
        : nil
    case "$date": value = .date(try container.decode(Double.self, forKey: key))
    case "$data": value = Data(base64Encoded: try text()).map { .data($0) }
    case "$uuid": value = UUID(uuidString: try text()).map { .uuid($0) }
    case "$uri": value = .uri(try text())
    case "$object": value = .object(try text())
    default: break
    }
    guard let value else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "not a value of the kind \(key.stringValue)")
    }
    return value
  }

  /// Encodes a value in its JSON form.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .boolean(let value): try encodeSingle(value, encoder)
    case .integer(let value): try encodeSingle(value, encoder)
    case .double(let value) where value.isFinite: try encodeSingle(value, encoder)
    case .string(let value): try encodeSingle(value, encoder)
    case .array(let values): try encodeSingle(values, encoder)
    case .dictionary(let values):
      var container = encoder.container(keyedBy: Key.self)
      for (name, value) in values {
        let key = name.hasPrefix("$") ? "$" + name : name
        try container.encode(value, forKey: Key(stringValue: key))
      }
    case .null: try encodeSpecial("$null", true, to: encoder)
    case .double(let value): try encodeSpecial("$double", "\(value)", to: encoder)
    case .decimal(let value): try encodeSpecial("$decimal", "\(value)", to: encoder)
    case .date(let value): try encodeSpecial("$date", value, to: encoder)
    case .data(let value): try encodeSpecial("$data", value.base64EncodedString(), to: encoder)
    case .uuid(let value): try encodeSpecial("$uuid", value.uuidString, to: encoder)
    case .uri(let value): try encodeSpecial("$uri", value, to: encoder)
    case .object(let value): try encodeSpecial("$object", value, to: encoder)
    }
  }

  private func encodeSingle(_ value: some Encodable, _ encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  private func encodeSpecial(
    _ key: String, _ value: some Encodable, to encoder: any Encoder
  ) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(value, forKey: Key(stringValue: key))
  }
}
