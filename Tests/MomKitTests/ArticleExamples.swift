import Foundation
import MomKit
import PropertyLists
import TestSupport
import Testing

import class PredicateFormat.NSExpression

// The examples of the articles about archives and models, executed.

// MARK: ReadingArchives

final class Bookmark: ArchiveCodable {
  static let archiveClass = ArchiveClass("Bookmark", "NSObject")
  var title = ""
  var visits = 0
  var parent: Bookmark?

  init() {}

  func decode(from object: ArchiveObjectDecoder) throws {
    title = try object.string(forKey: "title") ?? ""
    visits = try object.integer(forKey: "visits") ?? 0
    parent = try object.object(Bookmark.self, forKey: "parent")
  }

  func encode(into object: inout ArchiveObjectEncoder) {
    object.encode(title, forKey: "title")
    object.encode(visits, forKey: "visits")
    object.encode(parent, forKey: "parent")
  }
}

/// The contents of an archive.
func outline(of path: String) throws -> [String] {
  var lines: [String] = []
  let archive = try KeyedArchive(contentsOf: path)
  for field in archive.top {
    lines.append("\(field.key): \(field.value)")
  }
  for number in 0..<archive.count {
    if case .instance(let type, let fields) = archive.object(at: number) {
      lines.append("#\(number) \(type): \(fields.map(\.key))")
    }
  }
  return lines
}

/// Decodes a bookmark from a file of unknown origin.
func bookmark(at path: String) throws -> Bookmark {
  let limits = ArchiveLimits(byteCount: 1 << 20, objectCount: 10_000, stringByteCount: 1 << 20)
  let decoder = ArchiveDecoder(allowing: [Bookmark.self], limits: limits)
  return try decoder.decode(Bookmark.self, from: FileBytes.read(path, limit: limits.byteCount))
}

/// Writes an archive again, and its listing beside it.
func copyAndList(_ path: String, to copy: String) throws -> String {
  let archive = try KeyedArchive(contentsOf: path)
  try AtomicFile.write(PropertyListGraph(archive.list).binary(), to: copy)
  return ArchiveTextListing(ArchiveGraph(archive)).text
}

// MARK: BuildingAModel

/// A shop with customers and their orders.
func shop() -> NSManagedObjectModel {
  let number = NSAttributeDescription()
  number.name = "number"
  number.type = .integer64
  number.isOptional = false

  let total = NSAttributeDescription()
  total.name = "total"
  total.type = .decimal
  total.defaultValue = NSDecimalNumber(string: "0")

  let order = NSEntityDescription()
  order.name = "Order"
  order.managedObjectClassName = "Order"
  order.properties = [number, total]
  order.uniquenessConstraints = [["number"]]

  let customer = NSEntityDescription()
  customer.name = "Customer"
  customer.managedObjectClassName = "Customer"

  let orders = NSRelationshipDescription()
  orders.name = "orders"
  orders.destinationEntity = order
  orders.maxCount = 0  // no limit: to many
  orders.deleteRule = .cascadeDeleteRule
  let owner = NSRelationshipDescription()
  owner.name = "owner"
  owner.destinationEntity = customer
  owner.maxCount = 1
  orders.inverseRelationship = owner
  owner.inverseRelationship = orders
  customer.properties = [orders]
  order.properties += [owner]

  let model = NSManagedObjectModel()
  model.entities = [customer, order]
  model.versionIdentifiers = ["1"]
  return model
}

/// Gives the model a request, an index and a derived attribute.
func refine(_ model: NSManagedObjectModel) {
  guard let order = model.entitiesByName["Order"],
    let customer = model.entitiesByName["Customer"],
    let total = order.attributesByName["total"]
  else { return }
  order.indexes = [
    NSFetchIndexDescription(
      name: "byTotal",
      elements: [NSFetchIndexElementDescription(property: total, collationType: .binary)])
  ]
  total.setValidationPredicates(
    [NSPredicate(format: "SELF >= 0")], withValidationWarnings: ["negative"])

  let count = NSDerivedAttributeDescription()
  count.name = "orderCount"
  count.type = .integer64
  count.derivationExpression = NSExpression(format: "orders.@count")
  customer.properties.append(count)

  let big = NSFetchRequest<NSFetchRequestResult>()
  big.entity = order
  big.predicate = NSPredicate(format: "total > $LIMIT")
  model.setFetchRequestTemplate(big, forName: "big")
  model.setEntities([order], forConfigurationName: "Local")
}

// MARK: CheckingAModel

/// The problems of a model, formatted like a compiler's.
func complaints(about model: NSManagedObjectModel) -> [String] {
  var lines: [String] = []
  for finding in model.findings() {
    lines.append(finding.description)
  }
  return lines
}

/// The files of a bundle that don't match what the bundle records.
func differences(inBundleAt path: String) throws -> [String] {
  let bundle = try ModelBundle(at: path)
  return bundle.verify().map(\.description)
}

/// Whether a store was created with a model.
func isMade(storeAt path: String, with model: NSManagedObjectModel) throws -> Bool {
  let store = try StoreFile(at: path)
  let metadata: [String: Any] = ["NSStoreModelVersionHashes": store.metadata.entityHashes]
  return model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
}

// MARK: ModelFiles

/// Writes a model and reads it again.
func saveAndReload(_ model: NSManagedObjectModel, in folder: URL) throws -> NSManagedObjectModel {
  let url = folder.appendingPathComponent("Shop.momd")
  try model.write(to: url)
  return try NSManagedObjectModel(loading: url.path)
}

/// Writes two versions of a model into one bundle.
func saveVersions(
  _ first: NSManagedObjectModel, _ second: NSManagedObjectModel, to path: String
) throws {
  try ModelBundle.write(
    [
      ModelBundle.NewVersion(name: "Shop", model: first),
      ModelBundle.NewVersion(name: "Shop 2", model: second),
    ],
    currentVersionName: "Shop 2", to: path)
}

/// The checksum of every version in an application.
func checksums(inApplicationAt path: String) throws -> [String: String] {
  var checksums: [String: String] = [:]
  for file in try ModelFile(at: path).modelFiles() {
    for loaded in try file.models(.all) {
      checksums[loaded.path] = loaded.model.versionChecksum
    }
  }
  return checksums
}

/// Reads a model, or explains why it can't be read.
func load(_ path: String) -> String {
  do {
    let model = try NSManagedObjectModel(loading: path)
    return "\(model.entities.count) entities"
  } catch {
    return "\(error.code.rawValue): \(error)"
  }
}

// MARK: Tests

@Suite struct ArticleTests {
  @Test func archives() throws {
    let folder = try TemporaryFolder()
    let (top, child) = (Bookmark(), Bookmark())
    (top.title, child.title, child.visits, child.parent) = ("Top", "Page", 3, top)
    let path = folder.file("b.archive").path
    try AtomicFile.write(ArchiveEncoder().encode(child), to: path)
    #expect(try bookmark(at: path).parent?.title == "Top")
    let lines = try outline(of: path)
    #expect(lines.count == 3)
    #expect(lines.first == "root: reference(1)")
    #expect(lines.dropFirst().allSatisfy { $0.contains(" Bookmark < NSObject: [\"") })
    let copy = folder.file("copy.archive").path
    #expect(try copyAndList(path, to: copy).hasPrefix("keyed archive by NSKeyedArchiver"))
    #expect(try FileBytes.read(copy) == FileBytes.read(path))
  }

  @Test func models() throws {
    let folder = try TemporaryFolder()
    let model = shop()
    #expect(complaints(about: model) == [])
    let first = try saveAndReload(model, in: folder.url)
    #expect(first == model)
    refine(model)
    #expect(complaints(about: model) == [])
    try model.validate()
    let orders = model.entitiesByName["Customer"]?.relationshipsByName["orders"]
    let order = orders?.destinationEntity
    orders?.destinationEntity = nil
    #expect(complaints(about: model).contains { $0.hasPrefix("error: [Customer.orders]") })
    orders?.destinationEntity = order

    let path = folder.file("Versions.momd").path
    try saveVersions(first, model, to: path)
    #expect(try differences(inBundleAt: path) == [])
    let second = try NSManagedObjectModel(loading: path)
    #expect(second == model)
    #expect(try NSManagedObjectModel(loading: path, version: "Shop") == first)
    #expect(try checksums(inApplicationAt: folder.url.path).count == 3)
    #expect(load(path) == "2 entities")
    #expect(load("gone.momd") == "not-found: gone.momd: there is no such file")
  }
}
