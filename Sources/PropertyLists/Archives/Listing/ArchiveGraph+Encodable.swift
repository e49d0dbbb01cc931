import Foundation

/// The JSON form of an archive's objects.
///
/// ```json
/// {
///   "schemaVersion": 1, "kind": "keyedArchive", "archiver": "NSKeyedArchiver", "version": 100000,
///   "top": [{"key": "root", "value": {"$ref": 1}}],
///   "objects": [
///     {"id": 0, "kind": "null"},
///     {"id": 1, "kind": "instance", "class": "Node", "classes": ["Node", "NSObject"],
///      "fields": [{"key": "name", "value": {"$ref": 2}}]},
///     {"id": 2, "kind": "value", "value": "first"},
///     {"id": 3, "kind": "class", "classes": ["Node", "NSObject"]}
///   ]
/// }
/// ```
///
/// Fields are pairs because their order matters: `jq '.objects[1].fields | from_entries'` turns them into an object.
/// Values that JSON cannot represent are objects with a key that starts with `$`: `$ref` for a reference, `$data`
/// (base64), `$date` (seconds since 2001), `$float` (32-bit), `$double` (not finite, or without a fraction: `22758.0`
/// is not an integer), `$integer` (beyond 64 bits), `$set`, `$dictionary` and `$null`.
extension ArchiveGraph: Encodable {
  /// The version of the JSON form.
  public static let currentSchemaVersion = 1

  private enum CodingKeys: String, CodingKey {
    case schemaVersion, kind, archiver, version, top, objects
  }

  /// Encodes the graph.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.currentSchemaVersion, forKey: .schemaVersion)
    try container.encode(kind, forKey: .kind)
    try container.encodeIfPresent(archiver, forKey: .archiver)
    try container.encodeIfPresent(version, forKey: .version)
    try container.encode(top.map { JSONField(field: $0) }, forKey: .top)
    try container.encode(
      nodes.enumerated().map { JSONNode(number: $0, node: $1) }, forKey: .objects)
  }
}

/// A field as a key-value pair.
private struct JSONField: Encodable {
  let field: ArchiveField

  private enum CodingKeys: CodingKey { case key, value }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(field.key, forKey: .key)
    try container.encode(JSONValue(value: field.value), forKey: .value)
  }
}

/// An object with its number.
private struct JSONNode: Encodable {
  let number: Int
  let node: ArchiveGraph.Node

  private enum CodingKeys: String, CodingKey {
    case id, kind, type = "class", classes, fields, value
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number, forKey: .id)
    switch node {
    case .null:
      try container.encode("null", forKey: .kind)
    case .value(let value):
      try container.encode("value", forKey: .kind)
      try container.encode(JSONValue(value: value), forKey: .value)
    case .instance(let type, let fields):
      try container.encode("instance", forKey: .kind)
      try container.encode(type.name, forKey: .type)
      try container.encode(type.chain, forKey: .classes)
      try container.encode(fields.map { JSONField(field: $0) }, forKey: .fields)
    case .classDescription(let type):
      try container.encode("class", forKey: .kind)
      try container.encode(type.chain, forKey: .classes)
    }
  }
}

/// A value; special ones are encoded as an object with one key.
private struct JSONValue: Encodable {
  let value: ArchiveValue

  func encode(to encoder: any Encoder) throws {
    switch value {
    case .boolean(let value): try single(value, to: encoder)
    case .integer(let value, _):
      if let value = Int64(exactly: value) {
        try single(value, to: encoder)
      } else {
        try special("$integer", "\(value)", to: encoder)
      }
    case .double(let value) where value.isFinite && value != value.rounded():
      try single(value, to: encoder)
    case .string(let value): try single(value, to: encoder)
    case .array(let values): try single(values.map { Self(value: $0) }, to: encoder)
    case .null: try special("$null", true, to: encoder)
    case .float(let value): try special("$float", "\(value)", to: encoder)
    case .double(let value): try special("$double", "\(value)", to: encoder)
    case .date(let value) where value.isFinite: try special("$date", value, to: encoder)
    case .date(let value): try special("$date", "\(value)", to: encoder)
    case .data(let bytes): try special("$data", Data(bytes).base64EncodedString(), to: encoder)
    case .reference(let number): try special("$ref", number, to: encoder)
    case .set(let values): try special("$set", values.map { Self(value: $0) }, to: encoder)
    case .dictionary(let fields):
      try special("$dictionary", fields.map { JSONField(field: $0) }, to: encoder)
    }
  }

  private func single(_ value: some Encodable, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  private func special(_ key: String, _ value: some Encodable, to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(value, forKey: Key(stringValue: key))
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
