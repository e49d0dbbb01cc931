import DataModels
import Foundation
import PropertyLists

/// The file format of XML stores, the same as Core Data's.
///
/// An unchanged object keeps its bytes, and so does everything unknown: elements, objects of other entities,
/// comments. Objects have numbers that are unique within a file, starting from 102 for new objects, and are listed in
/// the order in which they were saved. In a changed object each property keeps its position; a property that had no
/// value comes first.
struct XMLStoreFormat: AtomicFileFormat {
  static let storeType = NSXMLStoreType
  static let formName = "XML store"
  /// The last of the numbers that are never assigned.
  private static let unusedKeys: Int64 = 101

  private(set) var bytes: [UInt8]
  private(set) var metadata: [String: Any]
  var lastKey: Int64
  private var head: XMLStoreReader.Head
  /// The objects in file order: each one's range, including what precedes it since the previous object.
  private var objects: [Part] = []
  /// The entities of the objects for which rows were created.
  private var entities: XMLStoreEntities?

  private struct Part {
    let key: Int64
    let range: Range<Int>
    /// Whether the object has a row.
    let isKnown: Bool
  }

  init(metadata: [String: Any]) {
    self.metadata = metadata
    lastKey = Self.unusedKeys
    let prolog =
      "<?xml version=\"1.0\" standalone=\"yes\"?>\n"
      + "<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">\n\n<database>\n    "
    bytes = Array((prolog + "\n</database>").utf8)
    head = XMLStoreReader.Head()
    head.info = prolog.utf8.count..<prolog.utf8.count
  }

  /// - Throws: an `NSError` for entities or properties that such a file can't distinguish.
  static func check(_ opening: StoreOpening) throws { _ = try XMLStoreEntities(opening) }

  // MARK: Reading

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    var reader = XMLStoreReader(bytes)
    head = try reader.readHead()
    lastKey = max(head.lastKey, Self.unusedKeys)
    metadata = head.metadata
    metadata[StoreMetadataKeys.type] = Self.storeType
    metadata[StoreMetadataKeys.uuid] = head.uuid
  }

  mutating func load(_ rows: RowTables, _ opening: StoreOpening) throws {
    let entities = try XMLStoreEntities(opening)
    self.entities = entities
    var loader = XMLStoreLoader(rows, entities)
    var reader = XMLStoreReader(bytes, from: head.info.upperBound)
    objects = []
    var start = reader.place
    while let object = try reader.nextObject() {
      let isKnown = try loader.add(object, &reader)
      objects.append(Part(key: object.key, range: start..<reader.place, isKnown: isKnown))
      start = reader.place
      lastKey = max(lastKey, object.key)
    }
    lastKey = max(lastKey, loader.largestTarget)
    try loader.relate(reader)
  }

  // MARK: Writing

  mutating func write(
    _ rows: RowTables, touched: Set<Int64>, metadata: [String: Any]?
  ) throws {
    var writer = XMLStoreWriter(
      rows, touched: touched, entities: entities, reserving: bytes.count)
    writer.append(bytes[..<head.info.lowerBound])
    let info = writer.place
    if let metadata { self.metadata = metadata }
    writer.append(try self.info(isChanged: metadata != nil)[...])
    let infoRange = info..<writer.place
    var parts: [Part] = []
    parts.reserveCapacity(objects.count)
    func note(_ key: Int64, from start: Int, isKnown: Bool) {
      parts.append(Part(key: key, range: start..<writer.place, isKnown: isKnown))
    }
    for part in objects {
      let start = writer.place
      if part.isKnown, touched.contains(part.key) {
        guard try writer.rewrite(part.key, in: bytes, at: part.range) else { continue }
      } else {
        writer.append(bytes[part.range])
      }
      note(part.key, from: start, isKnown: part.isKnown)
    }
    for key in writer.newKeys(among: touched) {
      let start = writer.place
      try writer.appendNew(key)
      note(key, from: start, isKnown: true)
    }
    writer.append(bytes[(objects.last?.range.upperBound ?? head.info.upperBound)...])
    bytes = writer.bytes
    objects = parts
    head.info = infoRange
    (head.lastKey, head.uuid) = (lastKey, self.metadata[StoreMetadataKeys.uuid] as? String)
    if !head.others.isEmpty { try refreshOthers() }
  }

  mutating func replaceMetadata(_ metadata: [String: Any]) throws {
    self.metadata = metadata
    bytes.replaceSubrange(head.info, with: try info(isChanged: true))
    self = try XMLStoreFormat(bytes)
  }

  /// The `<databaseInfo>` element, unchanged unless something in it has changed.
  private func info(isChanged: Bool) throws -> [UInt8] {
    let uuid = metadata[StoreMetadataKeys.uuid] as? String ?? ""
    if !isChanged, !head.info.isEmpty, head.uuid == uuid,
      max(head.lastKey, Self.unusedKeys) == lastKey
    {
      return Array(bytes[head.info])
    }
    return try XMLStoreMetadata.info(
      uuid: uuid, lastKey: lastKey, metadata: metadata,
      others: head.others.map { Substring(decoding: bytes[$0], as: UTF8.self) })
  }

  private mutating func refreshOthers() throws {
    var reader = XMLStoreReader(bytes)
    head.others = try reader.readHead().others
  }
}
