import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Rows overwritten with references that another writer has changed, and that weren't changed here.
@Suite struct OverwrittenReferenceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  enum Inverse: CaseIterable { case one, many, ordered, none }

  /// `A {name, owner}`, `B {name, items}`; `items` is the inverse of `owner`.
  private func open(_ inverse: Inverse) throws -> NSPersistentStoreCoordinator {
    let owner = SmallModel.relationship("owner")
    let a = SmallModel.entity("A", [SmallModel.text("name"), owner])
    let b = SmallModel.entity("B", [SmallModel.text("name")])
    if inverse == .none {
      owner.destinationEntity = b
    } else {
      let items = SmallModel.relationship(
        "items", many: inverse != .one, ordered: inverse == .ordered)
      b.properties.append(items)
      SmallModel.link((owner, of: a), (items, of: b))
    }
    return try SmallModel.coordinator(SmallModel.model(a, b), folder.file("a.sqlite"))
  }

  /// Saves `a` (which led to `b`) with a new name, after another writer has changed something; returns a new context.
  private func overwrite(
    _ inverse: Inverse, reading: Bool,
    policy: NSMergePolicyType = .overwriteMergePolicyType,
    mine edit: (_ a: NSManagedObject) -> Void = { _ in },
    theirs change: (_ a: NSManagedObject, _ b: NSManagedObject) throws -> Void
  ) throws -> NSManagedObjectContext {
    let coordinator = try open(inverse)
    let (mine, theirs) = (
      SmallModel.context(coordinator, policy), SmallModel.context(coordinator)
    )
    let b = SmallModel.new("B", ["name": "b"], in: theirs)
    let a = SmallModel.new("A", ["name": "a", "owner": b], in: theirs)
    if inverse == .many || inverse == .ordered {
      SmallModel.new("A", ["name": "z", "owner": b], in: theirs)
    }
    try theirs.save()
    let here = try mine.existingObject(with: a.objectID)
    let owner = try #require(here["owner"] as? NSManagedObject)
    if reading, inverse != .none { owner.willAccessValue(forKey: "items") }
    if reading, inverse != .none, inverse != .one { _ = SmallModel.names(owner, "items") }
    try change(a, b)
    try theirs.save()
    here["name"] = "edited"
    edit(here)
    try mine.save()
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
    return SmallModel.context(coordinator)
  }

  private func row(
    _ entity: String, _ name: String, _ context: NSManagedObjectContext
  ) throws -> NSManagedObject? {
    try SmallModel.all(entity, context).first { $0["name"] as? String == name }
  }

  @Test(arguments: Inverse.allCases, [false, true])
  func aClearedReferenceComesBackOnBothSides(inverse: Inverse, reading: Bool) throws {
    let reader = try overwrite(inverse, reading: reading) { a, _ in a["owner"] = nil }
    let a = try row("A", "edited", reader)
    let b = try #require(a?["owner"] as? NSManagedObject)
    #expect(b["name"] as? String == "b")
    switch inverse {
    case .none: break
    case .one: #expect(b["items"] as? NSManagedObject === a)
    case .many: #expect(SmallModel.names(b, "items") == ["edited", "z"])
    case .ordered:
      let items = try #require(b["items"] as? NSOrderedSet)
      #expect(items.map { ($0 as? NSManagedObject)?["name"] as? String } == ["z", "edited"])
    }
  }

  @Test(arguments: Inverse.allCases, [false, true])
  func aReferenceGivenToAnotherComesBack(inverse: Inverse, reading: Bool) throws {
    let reader = try overwrite(inverse, reading: reading) { a, b in
      guard let context = a.managedObjectContext else { return }
      a["owner"] = SmallModel.new("B", ["name": "their owner"], in: context)
      guard inverse == .one else { return }
      b["items"] = SmallModel.new("A", ["name": "their item"], in: context)
    }
    let a = try row("A", "edited", reader)
    #expect((a?["owner"] as? NSManagedObject)?["name"] as? String == "b")
    let theirs = try #require(try row("B", "their owner", reader))
    switch inverse {
    case .none: break
    case .one:
      #expect(theirs["items"] == nil)
      #expect(try row("A", "their item", reader)?["owner"] == nil)
    case .many, .ordered: #expect(SmallModel.names(theirs, "items") == [])
    }
  }

  /// The same where the reference has been changed here, too.
  @Test(
    arguments: Inverse.allCases,
    [NSMergePolicyType.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType])
  func aReferenceChangedHereWins(inverse: Inverse, policy: NSMergePolicyType) throws {
    let reader = try overwrite(inverse, reading: false, policy: policy) { a in
      guard let context = a.managedObjectContext else { return }
      a["owner"] = SmallModel.new("B", ["name": "my owner"], in: context)
    } theirs: { a, _ in
      guard let context = a.managedObjectContext else { return }
      a["owner"] = SmallModel.new("B", ["name": "their owner"], in: context)
    }
    let a = try row("A", "edited", reader)
    #expect((a?["owner"] as? NSManagedObject)?["name"] as? String == "my owner")
    let theirs = try #require(try row("B", "their owner", reader))
    switch inverse {
    case .none: break
    case .one: #expect(theirs["items"] == nil)
    case .many, .ordered: #expect(SmallModel.names(theirs, "items") == [])
    }
  }

  @Test(arguments: Inverse.allCases, [false, true])
  func whatOthersDeletedIsNotReferredTo(inverse: Inverse, reading: Bool) throws {
    let reader = try overwrite(inverse, reading: reading) { a, b in
      a["owner"] = nil
      b.managedObjectContext?.delete(b)
    }
    #expect(try row("A", "edited", reader)?["owner"] == nil)
  }
}
