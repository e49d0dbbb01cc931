import DataModels
import Foundation
import PropertyLists

/// The file format of binary stores.
///
/// No file in Apple's format was available, so this format is MomKit's own, and neither framework can read the
/// other's files. It is a binary keyed archive of plain Foundation classes. Its `$top` has one key,
/// `MomKitBinaryStore`, whose value is a dictionary:
///
/// | key | value |
/// |---|---|
/// | `version` | 1 |
/// | `lastObjectID` | the largest key ever used by an object |
/// | `metadata` | the store's metadata |
/// | `entities` | a dictionary for each entity that has objects: `keys`, and `properties` by name, each as data |
///
/// The data are ``PackedValues``: the objects' keys, then for each property its values in the same order. Classes of
/// the program are never decoded, so the options for secure decoding don't apply.
struct BinaryStoreFormat: AtomicFileFormat {
  static let storeType = NSBinaryStoreType
  static let formName = "binary store"
  /// The key in `$top`.
  static let marker = "MomKitBinaryStore"
  private static let version = 1

  private(set) var bytes: [UInt8] = []
  private(set) var metadata: [String: Any]
  var lastKey: Int64 = 0
  /// The file's content for each entity.
  private var entities: [ArchiveFoundationValue.Entry] = []
  /// The entities of the file for which rows were created; the others are preserved unchanged.
  private var known: Set<String> = []
  /// Other content of the file.
  private var others: [ArchiveFoundationValue.Entry] = []

  init(metadata: [String: Any]) { self.metadata = metadata }

  static func check(_ opening: StoreOpening) throws {}

  // MARK: Reading

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    let root: ArchiveFoundationValue?
    do throws(ArchiveError) {
      let archive = try KeyedArchive(bytes)
      guard let top = archive.topReference(Self.marker) else {
        throw ArchiveError(
          .invalidContent, "it is a keyed archive, but has no '\(Self.marker)' at its top")
      }
      root = try archive.foundationValue(ofObject: top)
    } catch {
      throw StoreFileDamage(problem: "\(error)")
    }
    guard case .dictionary(let entries)? = root else {
      throw StoreFileDamage(problem: "its top object isn't a dictionary")
    }
    var found: [String: ArchiveFoundationValue] = [:]
    for entry in entries { found[entry.key] = entry.value }
    guard case .integer(let version)? = found["version"] else {
      throw StoreFileDamage(problem: "it has no version")
    }
    guard version == Self.version else {
      throw StoreFileDamage(problem: "it has the unknown version \(version)")
    }
    guard case .integer(let last)? = found["lastObjectID"], last >= 0 else {
      throw StoreFileDamage(problem: "it has no last object number")
    }
    guard let metadata = found["metadata"]?.swiftValue as? [String: Any],
      metadata[NSStoreUUIDKey] is String
    else { throw StoreFileDamage(problem: "it has no metadata, or none with a UUID") }
    guard case .dictionary(let entities)? = found["entities"] else {
      throw StoreFileDamage(problem: "it has no entities")
    }
    self.metadata = metadata
    self.entities = entities
    lastKey = Int64(last)
    others = entries.filter {
      !["version", "lastObjectID", "metadata", "entities"].contains($0.key)
    }
  }

  mutating func load(_ rows: RowTables, _ opening: StoreOpening) throws {
    var loader = BinaryStoreLoader(rows)
    for entry in entities {
      guard let layout = opening.layouts[entry.key],
        opening.entityNames?.contains(entry.key) ?? true
      else { continue }
      known.insert(entry.key)
      try loader.add(layout, entry.value)
    }
    try loader.relate()
    lastKey = max(lastKey, loader.largestKey)
  }

  // MARK: Writing

  mutating func write(
    _ rows: RowTables, touched: Set<Int64>, metadata: [String: Any]?
  ) throws {
    var packed: [String: PackedEntity] = [:]
    var keys: [(key: Int64, row: RowTables.Row)] = []
    rows.forEach { key, row in keys.append((key, row)) }
    keys.sort { $0.key < $1.key }
    for (key, row) in keys {
      try packed[row.layout.name, default: PackedEntity(row.layout)].append(key, row)
    }
    // Preserve content without rows: entities of other configurations. Properties that the model doesn't have are only
    // read, and left out here, if the program ignores the model's version.
    var kept: [String: ArchiveFoundationValue] = [:]
    for entry in entities where !known.contains(entry.key) { kept[entry.key] = entry.value }
    let names = Set(packed.keys).union(kept.keys).sorted()
    entities = names.compactMap { name in
      (packed[name]?.value ?? kept[name]).map { ArchiveFoundationValue.Entry(name, $0) }
    }
    known.formUnion(packed.keys)
    if let metadata { self.metadata = metadata }
    try encode()
  }

  mutating func replaceMetadata(_ metadata: [String: Any]) throws {
    self.metadata = metadata
    try encode()
  }

  private mutating func encode() throws {
    guard let list = ArchiveFoundationValue(plain: metadata) else {
      throw CoreDataError.make(
        NSPersistentStoreSaveError, "The metadata contain what no property list can hold.")
    }
    var assembler = ArchiveAssembler(keys: ArchiveKeyTable([]), style: ArchiveStyle())
    let root = try assembler.encode(
      .foundation(
        .dictionary(
          [
            .init("version", .integer(Self.version)),
            .init("lastObjectID", .integer(Int(lastKey))),
            .init("metadata", list), .init("entities", .dictionary(entities)),
          ] + others)), assembler.newIdentity(), asking: ValueArchive.NoObjects())
    bytes = assembler.finish(top: [(Self.marker, root)]).binary()
  }
}

extension ArchiveFoundationValue {
  /// A metadata value as Swift types.
  fileprivate var swiftValue: Any {
    switch self {
    case .boolean(let flag): flag
    case .integer(let number): number
    case .unsigned(let number): number
    case .double(let number): number
    case .array(let members): members.map(\.swiftValue)
    case .dictionary(let entries):
      Dictionary(entries.map { ($0.key, $0.value.swiftValue) }, uniquingKeysWith: { $1 })
        as [String: Any]
    default: object
    }
  }
}

/// The objects of one entity, being encoded for a file.
private struct PackedEntity {
  private let values: [PropertyLayout]
  private let toManys: [PropertyLayout]
  private var keys = PackedValues()
  private var columns: [PackedValues]
  private var members: [PackedValues]

  init(_ layout: EntityLayout) {
    values = layout.values.filter { !$0.isTransient && $0.isInFiles }
    toManys = layout.toManys.filter { !$0.isTransient }
    columns = values.map { _ in PackedValues() }
    members = toManys.map { _ in PackedValues() }
  }

  mutating func append(_ key: Int64, _ row: RowTables.Row) throws {
    keys.append(key: key)
    for (index, property) in values.enumerated() {
      try columns[index].append(
        row.values[property.slot], property.description as? NSAttributeDescription)
    }
    for (index, property) in toManys.enumerated() {
      members[index].append(row.toManys[property.slot])
    }
  }

  var value: ArchiveFoundationValue {
    let named = zip(values + toManys, columns + members).map {
      ArchiveFoundationValue.Entry($0.name, .data($1.bytes))
    }
    return .dictionary([
      .init("keys", .data(keys.bytes)),
      .init("properties", .dictionary(named.sorted { $0.key < $1.key })),
    ])
  }
}

extension PropertyLayout {
  /// Whether files store the property: attributes of undefined type aren't stored.
  var isInFiles: Bool {
    switch attributeType {
    case .undefinedAttributeType: isRelationship
    case .objectIDAttributeType: false
    default: true
    }
  }
}
