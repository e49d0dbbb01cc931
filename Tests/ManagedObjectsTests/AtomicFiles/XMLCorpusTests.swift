import DataModels
import Foundation
import PropertyLists
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Stores written by Core Data: the sources of mapping models are XML stores of Xcode's editor.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct XMLCorpusTests {
  static let stores = Corpus.files.filter { $0.path.hasSuffix("xcmapping.xml") }

  /// The model of mapping models, which is part of Xcode and was included in a program's sources.
  private static func model() throws -> NSManagedObjectModel {
    let file = try #require(Corpus.files.first { $0.path.hasSuffix("/XDDevMappingModel.mom") })
    return try #require(NSManagedObjectModel(contentsOf: file.url))
  }

  private func opening(_ url: URL, _ model: NSManagedObjectModel) -> StoreOpening {
    StoreOpening(
      url: url, model: model, layouts: ModelLayout.of(model), configuration: nil, entityNames: nil,
      options: nil)
  }

  @Test func thereAreStores() { #expect(Self.stores.count >= 15) }

  @Test(arguments: stores) func comesOutByteForByte(file: Corpus.File) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("xcmapping.xml")
    let bytes = try Data(contentsOf: file.url)
    try bytes.write(to: url)
    let model = try Self.model()
    let context = try AtomicFiles.context(NSXMLStoreType, url, model)
    let text = String(decoding: bytes, as: UTF8.self)
    let objects = try ["XDDevMappingModel", "XDDevEntityMapping", "XDDevPropertyMapping"].flatMap {
      try AtomicFiles.all($0, context)
    }
    #expect(objects.count == text.components(separatedBy: "<object ").count - 1)
    // Without changes, and with a change that has no effect on the file.
    try context.save()
    let mapping = try #require(try AtomicFiles.all("XDDevMappingModel", context).first)
    // The editor sets the two models; they are transient.
    (mapping["sourceModel"], mapping["destinationModel"]) = ("one", "other")
    let path = try #require(mapping["sourceModelPath"] as? String)
    #expect(text.contains(path))
    mapping["sourceModelPath"] = path + "x"
    mapping["sourceModelPath"] = path
    try context.save()
    #expect(try Data(contentsOf: url) == bytes)
    // A value changes and changes back.
    mapping["sourceModelPath"] = path + " & more"
    try context.save()
    let changed = String(decoding: try Data(contentsOf: url), as: UTF8.self)
    #expect(
      changed == text.replacing(">\(path)<", with: ">\(path) \\u2600 more<", maxReplacements: 1))
    mapping["sourceModelPath"] = path
    try context.save()
    #expect(try Data(contentsOf: url) == bytes)
    // Relationships are consistent in both directions.
    for entity in try AtomicFiles.all("XDDevEntityMapping", context) {
      for object in entity["attributeMappings"] as? Set<NSManagedObject> ?? [] {
        #expect(object["entityMapping"] as? NSManagedObject === entity)
      }
    }
  }

  @Test(arguments: stores) func everyObjectIsWrittenAsCoreDataWritesIt(file: Corpus.File) throws {
    let bytes = [UInt8](try Data(contentsOf: file.url))
    let model = try Self.model()
    let opening = opening(file.url, model)
    var format = try XMLStoreFormat(bytes)
    #expect(
      format.metadata[NSStoreModelVersionHashesKey] as? [String: Data] == opening.versionHashes)
    let rows = RowTables(
      StoreReference(identifier: "A", layouts: opening.layouts), isForFile: true)
    try format.load(rows, opening)
    var keys: Set<Int64> = []
    rows.forEach { key, _ in keys.insert(key) }
    #expect(format.lastKey == keys.max(), "The number in <nextObjectID> is the last one given.")
    // All objects and the metadata are written anew.
    try format.write(rows, touched: keys, metadata: format.metadata)
    let difference = zip(format.bytes, bytes).enumerated().first { $1.0 != $1.1 }?.offset
    if let difference {
      let made = String(
        decoding: format.bytes[max(0, difference - 80)...].prefix(120), as: UTF8.self)
      Issue.record("from byte \(difference - 80): \(made)")
    }
    #expect(format.bytes.count == bytes.count)
  }

  @Test func metadataAreReadWithoutObjects() throws {
    let file = try #require(Self.stores.first)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .xml, at: file.url)
    #expect(metadata[NSStoreTypeKey] as? String == NSXMLStoreType)
    #expect(UUID(uuidString: metadata[NSStoreUUIDKey] as? String ?? "") != nil)
    let model = try Self.model()
    #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    #expect(StoreFileKind(contentsOf: file.url) == .xml)
  }
}
