import DataModels
import Foundation
import PropertyLists

/// The property list of a store's metadata.
enum MetadataList {
  /// The maximum nesting depth of values.
  static let maximalDepth = 64

  /// Decodes a store's metadata.
  ///
  /// - Parameter place: its location in the store, for errors.
  /// - Throws: an `NSError` if it isn't a property list of a dictionary.
  static func values(
    _ bytes: Data, in place: String = "Z_PLIST in table Z_METADATA"
  ) throws -> [String: Any] {
    do {
      let list = try BinaryPropertyList(anyForm: Array(bytes))
      var reading = MetadataReading(list)
      if let values = try reading.value(at: list.top, depth: 0) as? [String: Any] {
        return values
      }
    } catch let error as PropertyListError {
      throw damaged("\(error)", place)
    } catch let error as MetadataReading.LimitExceeded {
      throw damaged(error.text, place)
    }
    throw damaged("the property list isn't a dictionary", place)
  }

  private static func damaged(_ problem: String, _ place: String) -> NSError {
    CoreDataError.make(
      NSPersistentStoreOpenError, "The store's metadata, \(place), are damaged: \(problem).")
  }

  /// Encodes a store's metadata.
  static func bytes(_ metadata: [String: Any]) throws -> Data {
    var graph = PropertyListGraph()
    let root = try add(metadata.filter { $0.key != StoreMetadataKeys.uuid }, to: &graph, depth: 0)
    graph.root = root
    return Data(graph.binary())
  }

  private static func add(
    _ value: Any, to graph: inout PropertyListGraph, depth: Int
  ) throws -> Int {
    guard depth < maximalDepth else {
      throw CoreDataError.make(NSPersistentStoreSaveError, "The metadata are nested too deeply.")
    }
    if let number = PlainNumber(value) { return add(number, to: &graph) }
    switch value {
    case let text as String: return graph.add(string: text)
    case let data as Data: return graph.add(data: data)
    case let date as Date: return graph.add(date: date.timeIntervalSinceReferenceDate)
    case let members as [Any]:
      return graph.add(array: try members.map { try add($0, to: &graph, depth: depth + 1) })
    case let entries as [String: Any]:
      // Sorted by name, so that equal metadata has equal bytes.
      let sorted = entries.sorted { NameOrder.precedes($0.key, $1.key) }
      let keys = sorted.map { graph.add(string: $0.key) }
      return graph.add(
        dictionary: keys, values: try sorted.map { try add($0.value, to: &graph, depth: depth + 1) }
      )
    default:
      throw CoreDataError.make(
        NSPersistentStoreSaveError,
        "The metadata contain a \(type(of: value)), which property lists can't represent.")
    }
  }

  private static func add(_ number: PlainNumber, to graph: inout PropertyListGraph) -> Int {
    switch number {
    case .boolean(let flag): graph.add(boolean: flag)
    case .integer(let number): graph.add(integer: number)
    case .unsigned(let number): graph.add(integer: Int128(number), width: 16)
    case .real(let number): graph.add(double: number)
    case .decimal(let number): graph.add(double: NSDecimalNumber(decimal: number).doubleValue)
    }
  }

  /// The metadata of a new store.
  static func new(for model: NSManagedObjectModel, version: FrameworkVersion) -> [String: Any] {
    let hashes = model.entityVersionHashesByName
    var metadata: [String: Any] = [
      StoreMetadataKeys.type: NSSQLiteStoreType,
      StoreMetadataKeys.uuid: UUID().uuidString,
      StoreMetadataKeys.hashes: hashes,
      StoreMetadataKeys.hashesVersion: 3,
      StoreMetadataKeys.identifiers: model.versionIdentifiers.compactMap { $0 as? String }.sorted(),
      StoreMetadataKeys.frameworkVersion: version.rawValue,
      StoreMetadataKeys.autoVacuumLevel: "2",
    ]
    if version.hasHashesDigest {
      metadata[StoreMetadataKeys.digest] = VersionHashes.digest(of: hashes)
    }
    if version.hasModelChecksum {
      metadata[StoreMetadataKeys.checksum] = VersionHashes.checksum(of: hashes)
    }
    return metadata
  }
}
