import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// A change of an object's members is a change of the object, so that whoever deletes it meanwhile notices.
@Suite struct OwnerVersionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  enum Kind: CaseIterable { case one, many, ordered, manyToMany }

  static let policies: [NSMergePolicyType] = [
    .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
    .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType, .rollbackMergePolicyType,
  ]

  /// `P {name, items}`, `B {name, owner}`, inverse to each other.
  private func model(_ kind: Kind, _ rule: NSDeleteRule = .nullifyDeleteRule)
    -> NSManagedObjectModel
  {
    let items = SmallModel.relationship(
      "items", many: kind != .one, ordered: kind == .ordered)
    items.deleteRule = rule
    let owner = SmallModel.relationship("owner", many: kind == .manyToMany)
    let p = SmallModel.entity("P", [SmallModel.text("name"), items])
    let b = SmallModel.entity("B", [SmallModel.text("name"), owner])
    SmallModel.link((items, of: p), (owner, of: b))
    return SmallModel.model(p, b)
  }

  private func link(_ b: NSManagedObject, _ p: NSManagedObject, _ kind: Kind) {
    if kind == .manyToMany {
      b.addObject(p, toRelationshipNamed: "owner")
    } else {
      b["owner"] = p
    }
  }

  private func check(_ url: URL, _ comment: String) throws {
    let findings = try StoreCheck.findings(at: url)
    #expect(findings == [], Comment(rawValue: comment))
  }

  @Test(arguments: Kind.allCases, policies)
  func whatAnotherDeletesIsNotReferredTo(kind: Kind, policy: NSMergePolicyType) throws {
    for number in 0..<16 {
      let (isShared, deletesFirst, isRead, type) = (
        number & 1 == 0, number & 2 == 0, number & 4 == 0,
        number & 8 == 0 ? NSSQLiteStoreType : NSInMemoryStoreType
      )
      guard isShared || type == NSSQLiteStoreType else { continue }
      let url = folder.file("\(number).sqlite")
      let model = model(kind)
      let coordinator = try TestStore.coordinator(model, at: url, type: type)
      let second =
        try isShared ? coordinator : TestStore.coordinator(model, at: url, type: type)
      let (a, b) = (SmallModel.context(coordinator, policy), SmallModel.context(second, policy))
      let p = SmallModel.new("P", ["name": "p"], in: a)
      _ = SmallModel.new("B", ["name": "q"], in: a)
      try a.save()
      let (p2, q2) = (try SmallModel.all("P", b)[0], try SmallModel.all("B", b)[0])
      if isRead, kind != .one {
        _ = SmallModel.names(p, "items")
        _ = SmallModel.names(p2, "items")
      }
      link(q2, p2, kind)
      a.delete(p)
      for context in deletesFirst ? [a, b] : [b, a] {
        do {
          try context.save()
        } catch let error as NSError {
          #expect(policy == .errorMergePolicyType)
          #expect(error.code == NSManagedObjectMergeError)
          context.rollback()
        }
      }
      let how = "\(kind) shared \(isShared), deleted first \(deletesFirst), read \(isRead) \(type)"
      if type == NSSQLiteStoreType { try check(url, how) }
      let reader = SmallModel.context(coordinator)
      let owners = try SmallModel.all("B", reader)[0].value(forKey: "owner")
      let present = try SmallModel.all("P", reader)
      switch owners {
      case let owner as NSManagedObject: #expect(present == [owner], Comment(rawValue: how))
      case let owners as Set<NSManagedObject>:
        #expect(owners.isSubset(of: present), Comment(rawValue: how))
      default: break
      }
    }
  }

  /// Two writers that give one owner members are in conflict, as in Core Data.
  @Test(arguments: [Kind.many, .ordered, .manyToMany])
  func twoWritersOfOneOwnersMembersConflict(kind: Kind) throws {
    let coordinator = try SmallModel.coordinator(model(kind), folder.file("a.sqlite"))
    let (first, second) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let p = SmallModel.new("P", ["name": "p"], in: first)
    try first.save()
    let p2 = try SmallModel.all("P", second)[0]
    link(SmallModel.new("B", ["name": "1"], in: first), p, kind)
    try first.save()
    link(SmallModel.new("B", ["name": "2"], in: second), p2, kind)
    let error = #expect(throws: NSError.self) { try second.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try second.save()
    let reader = SmallModel.context(coordinator)
    #expect(SmallModel.names(try SmallModel.all("P", reader)[0], "items") == ["1", "2"])
    try check(folder.file("a.sqlite"), "")
  }

  /// A deletion that stands against another writer's changes reaches what these related to the object.
  @Test(
    arguments: Kind.allCases,
    [NSDeleteRule.nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule])
  func deleteRulesReachWhatAConflictBrings(kind: Kind, rule: NSDeleteRule) throws {
    for policy in Self.policies.dropFirst() {
      for isRead in [false, true] {
        let url = folder.file("\(policy.rawValue)\(isRead).sqlite")
        let coordinator = try SmallModel.coordinator(model(kind, rule), url)
        let (a, b) = (SmallModel.context(coordinator), SmallModel.context(coordinator, policy))
        let p = SmallModel.new("P", ["name": "p"], in: a)
        let q = SmallModel.new("B", ["name": "q"], in: a)
        try a.save()
        let p2 = try SmallModel.all("P", b)[0]
        let q2 = try SmallModel.all("B", b)[0]
        _ = (p2["name"], q2["name"])
        if isRead { _ = p2.value(forKey: "items") }
        b.delete(p2)
        b.processPendingChanges()
        p["name"] = "theirs"
        link(q, p, kind)
        try a.save()
        let how = Comment(rawValue: "\(kind) \(policy.rawValue) read \(isRead)")
        do {
          try b.save()
          #expect(rule != .denyDeleteRule || policy == .rollbackMergePolicyType, how)
        } catch let error as NSError {
          #expect(rule == .denyDeleteRule, how)
          #expect(error.code == NSValidationRelationshipDeniedDeleteError, how)
        }
        try check(url, how.rawValue)
        let reader = SmallModel.context(coordinator)
        let left = try SmallModel.all("P", reader).count
        let stays = rule == .denyDeleteRule || policy == .rollbackMergePolicyType
        #expect(left == (stays ? 1 : 0), how)
        let members = try SmallModel.all("B", reader).count
        #expect(members == (rule == .cascadeDeleteRule && !stays ? 0 : 1), how)
      }
    }
  }

  /// A deletion whose cascade reaches what refers to the object elsewhere, all of which is discarded.
  @Test func discardedDeletionsLeaveBothSides() throws {
    let items = SmallModel.relationship("items", many: true)
    items.deleteRule = .cascadeDeleteRule
    let (owner, best, bestOf) = (
      SmallModel.relationship("owner"), SmallModel.relationship("best"),
      SmallModel.relationship("bestOf")
    )
    let p = SmallModel.entity("P", [SmallModel.text("name"), items, best])
    let b = SmallModel.entity("B", [SmallModel.text("name"), owner, bestOf])
    SmallModel.link((items, of: p), (owner, of: b))
    SmallModel.link((best, of: p), (bestOf, of: b))
    let url = folder.file("a.sqlite")
    let coordinator = try SmallModel.coordinator(SmallModel.model(p, b), url)
    let (theirs, mine) = (
      SmallModel.context(coordinator), SmallModel.context(coordinator, .rollbackMergePolicyType)
    )
    let object = SmallModel.new("P", ["name": "p"], in: theirs)
    let member = SmallModel.new("B", ["name": "b", "bestOf": object], in: theirs)
    try theirs.save()
    let here = try SmallModel.all("P", mine)[0]
    _ = SmallModel.names(here, "items")
    _ = try SmallModel.all("B", mine).map { $0["name"] as? String }
    mine.delete(here)
    mine.processPendingChanges()
    object["name"] = "theirs"
    member["owner"] = object
    try theirs.save()
    try mine.save()
    #expect(try StoreCheck.findings(at: url) == [])
    let reader = SmallModel.context(coordinator)
    #expect(
      (try SmallModel.all("P", reader)[0]["best"] as? NSManagedObject)?["name"] as? String == "b")
  }

  /// A merge into an unsaved one-to-one leaves each side with one partner.
  @Test(arguments: [false, true]) func mergedOneToOnesHaveOnePartner(isDeleted: Bool) throws {
    let url = folder.file("a.sqlite")
    let coordinator = try SmallModel.coordinator(model(.one), url)
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let p = SmallModel.new("P", ["name": "p"], in: mine)
    let (first, second, third) = (
      SmallModel.new("B", ["name": "1"], in: mine), SmallModel.new("B", ["name": "2"], in: mine),
      SmallModel.new("B", ["name": "3"], in: mine)
    )
    p["items"] = first
    try mine.save()
    if isDeleted { mine.delete(first) } else { p["items"] = second }
    mine.processPendingChanges()
    try theirs.existingObject(with: third.objectID)["owner"] = theirs.existingObject(
      with: p.objectID)
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: theirs, queue: nil
    ) { mine.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(token) }
    try theirs.save()
    mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try mine.save()
    #expect(try StoreCheck.findings(at: url) == [])
    let reader = SmallModel.context(coordinator)
    let partner = try SmallModel.all("P", reader)[0]["items"] as? NSManagedObject
    #expect(partner?["name"] as? String == (isDeleted ? nil : "2"))
  }

  /// Undoing the removal of an object that was no member doesn't make it one.
  @Test(arguments: [Kind.many, .ordered, .manyToMany], [0, 1, 2, 3])
  func undoneRemovalsOfOthersChangeNothing(kind: Kind, number: Int) throws {
    let (isOwned, isFault) = (number & 1 == 1, number & 2 == 2)
    let coordinator = try SmallModel.coordinator(model(kind), folder.file("a.sqlite"))
    let first = SmallModel.context(coordinator)
    let (p, b, z) = (
      SmallModel.new("P", ["name": "p"], in: first), SmallModel.new("B", ["name": "b"], in: first),
      SmallModel.new("P", ["name": "z"], in: first)
    )
    if isOwned { link(b, z, kind) }
    try first.save()
    let context = SmallModel.context(coordinator)
    context.undoManager = UndoManager()
    let (here, member) = (
      try context.existingObject(with: p.objectID), try context.existingObject(with: b.objectID)
    )
    if isFault { context.refresh(member, mergeChanges: false) }
    here.removeObject(member, fromRelationshipNamed: "items")
    context.processPendingChanges()
    #expect(SmallModel.names(here, "items") == [])
    context.undo()
    #expect(SmallModel.names(here, "items") == [])
    try context.save()
    let reader = SmallModel.context(coordinator)
    #expect(SmallModel.names(try reader.existingObject(with: p.objectID), "items") == [])
    #expect(
      SmallModel.names(try reader.existingObject(with: z.objectID), "items")
        == (isOwned ? ["b"] : []))
  }

  /// A refresh has taken back what a deletion would end: there is nothing to write.
  @Test func whatARefreshHasTakenBackIsNotWritten() throws {
    let folder = try TemporaryFolder()
    let (friends, back) = (
      SmallModel.relationship("friends", many: true), SmallModel.relationship("back", many: true)
    )
    let person = SmallModel.entity("Person", [SmallModel.text("name"), friends, back])
    SmallModel.link((friends, of: person), (back, of: person))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(person), folder.file("persons.sqlite"))
    let context = SmallModel.context(coordinator)
    let (ada, eve) = (
      SmallModel.new("Person", ["name": "Ada"], in: context),
      SmallModel.new("Person", ["name": "Eve"], in: context)
    )
    try context.save()
    ada.addObject(eve, toRelationshipNamed: "friends")
    context.delete(ada)
    context.processPendingChanges()
    context.refresh(eve, mergeChanges: false)
    try context.save()
    #expect(eve["name"] as? String == "Eve")
    #expect(eve.version == 1)
  }
}
