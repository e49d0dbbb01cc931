import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// One-to-one relationships whose sides were read at different times: what stays as it was read beside a change of the
/// other side is a change of the row as it is now.
@Suite struct StaleSideTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let policies: [NSMergePolicyType] = [
    .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
    .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType, .rollbackMergePolicyType,
  ]

  @Test(arguments: policies, [NSSQLiteStoreType, NSBinaryStoreType])
  func bothSidesAreSaved(policy: NSMergePolicyType, type: String) throws {
    let (mine, yours) = (SmallModel.relationship("b"), SmallModel.relationship("a"))
    let a = SmallModel.entity("A", [SmallModel.text("name"), mine])
    let b = SmallModel.entity("B", [SmallModel.text("name"), yours])
    SmallModel.link((mine, of: a), (yours, of: b))
    let coordinator = try TestStore.coordinator(
      SmallModel.model(a, b), at: folder.file("a"), type: type)
    let (here, there) = (SmallModel.context(coordinator), SmallModel.context(coordinator, policy))
    for context in [here, there] { context.retainsRegisteredObjects = true }
    let first = SmallModel.new("B", ["name": "first"], in: here)
    let second = SmallModel.new("B", ["name": "second"], in: here)
    let one = SmallModel.new("A", ["name": "one", "b": first], in: here)
    try here.save()
    func known(_ object: NSManagedObject) throws -> NSManagedObject {
      let object = try there.existingObject(with: object.objectID)
      _ = object["name"]
      return object
    }
    let (oneThere, firstThere) = (try known(one), try known(first))
    one["b"] = second
    try here.save()
    // It goes to another and back to the one that it was read with.
    oneThere["b"] = try known(second)
    firstThere["a"] = oneThere
    if policy == .errorMergePolicyType {
      let error = #expect(throws: NSError.self) { try there.save() }
      #expect(error?.code == NSManagedObjectMergeError)
    } else {
      try there.save()
    }
    let reader = SmallModel.context(coordinator)
    for object in try SmallModel.all("A", reader) {
      guard let target = object["b"] as? NSManagedObject else { continue }
      #expect(target["a"] as? NSManagedObject === object)
    }
    for object in try SmallModel.all("B", reader) {
      guard let target = object["a"] as? NSManagedObject else { continue }
      #expect(target["b"] as? NSManagedObject === object)
    }
  }
}
