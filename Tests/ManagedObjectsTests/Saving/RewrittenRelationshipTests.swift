import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Rows that others have deleted, and that are written again with their references.
@Suite struct RewrittenRelationshipTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  enum Kind: CaseIterable { case one, owned, ordered, owner, orderedOwner, many }

  /// `A.other` and `B.back` are inverse to each other; what the kind names is `A.other`.
  private func open(_ kind: Kind) throws -> NSPersistentStoreCoordinator {
    let other = SmallModel.relationship(
      "other", many: kind == .owner || kind == .orderedOwner || kind == .many,
      ordered: kind == .orderedOwner)
    let back = SmallModel.relationship(
      "back", many: kind == .owned || kind == .ordered || kind == .many, ordered: kind == .ordered)
    let a = SmallModel.entity("A", [SmallModel.text("name"), other])
    let b = SmallModel.entity("B", [SmallModel.text("name"), back])
    SmallModel.link((other, of: a), (back, of: b))
    return try SmallModel.coordinator(SmallModel.model(a, b), folder.file("a.sqlite"))
  }

  private func related(_ object: NSManagedObject?, _ key: String) -> [String] {
    guard let value = object?.value(forKey: key) else { return [] }
    if let one = value as? NSManagedObject { return [one["name"] as? String ?? ""] }
    return SmallModel.names(object, key)
  }

  /// Both objects are written again, the one before the other.
  @Test(
    arguments: Kind.allCases,
    [NSMergePolicyType.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType])
  func twoThatComeBackAreRelated(kind: Kind, policy: NSMergePolicyType) throws {
    let coordinator = try open(kind)
    let (mine, theirs) = (SmallModel.context(coordinator, policy), SmallModel.context(coordinator))
    let a = SmallModel.new("A", ["name": "a"], in: theirs)
    let b = SmallModel.new("B", ["name": "b"], in: theirs)
    try theirs.save()
    let (here, partner) = (
      try mine.existingObject(with: a.objectID), try mine.existingObject(with: b.objectID)
    )
    for object in [here, partner] { object["name"] = (object["name"] as? String ?? "") + "!" }
    if kind == .one || kind == .owned || kind == .ordered {
      here["other"] = partner
    } else {
      here.addObject(partner, toRelationshipNamed: "other")
    }
    [a, b].forEach(theirs.delete)
    try theirs.save()
    try mine.save()
    let reader = SmallModel.context(coordinator)
    for context in [mine, reader] {
      let (one, other) = (
        try SmallModel.all("A", context).first, try SmallModel.all("B", context).first
      )
      #expect(related(one, "other") == ["b!"])
      #expect(related(other, "back") == ["a!"])
    }
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  @Test(
    arguments: Kind.allCases,
    [NSMergePolicyType.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType])
  func bothSidesAgree(kind: Kind, policy: NSMergePolicyType) throws {
    for (reads, isTaken) in [(false, false), (true, false), (true, true)] {
      defer { try? FileManager.default.removeItem(at: self.folder.file("a.sqlite")) }
      let coordinator = try open(kind)
      let (mine, theirs) = (
        SmallModel.context(coordinator, policy), SmallModel.context(coordinator)
      )
      let a = SmallModel.new("A", ["name": "a"], in: theirs)
      let b = SmallModel.new("B", ["name": "b"], in: theirs)
      let other = SmallModel.new("B", ["name": "c"], in: theirs)
      if kind == .one || kind == .owned || kind == .ordered {
        a["other"] = b
      } else {
        a.addObject(b, toRelationshipNamed: "other")
        a.addObject(other, toRelationshipNamed: "other")
      }
      try theirs.save()
      let here = try mine.existingObject(with: a.objectID)
      let partner = try mine.existingObject(with: b.objectID)
      _ = here["name"]
      if reads {
        _ = related(here, "other")
        _ = related(partner, "back")
      }
      theirs.delete(a)
      if isTaken {
        let third = SmallModel.new("A", ["name": "third"], in: theirs)
        if kind == .one || kind == .owned || kind == .ordered {
          third["other"] = b
        } else {
          third.addObject(b, toRelationshipNamed: "other")
        }
      }
      try theirs.save()
      here["name"] = "edited"
      try mine.save()
      #expect(try StoreCheck.findings(at: self.folder.file("a.sqlite")) == [])
      let (there, mineNow) = (related(here, "other"), related(partner, "back"))
      let reader = SmallModel.context(coordinator)
      let again = try SmallModel.all("A", reader).first { $0["name"] as? String == "edited" }
      let target = try SmallModel.all("B", reader).first { $0["name"] as? String == "b" }
      #expect(again != nil)
      #expect(related(again, "other").contains("b") == related(target, "back").contains("edited"))
      // The context that has saved knows what it has saved.
      #expect(there == related(again, "other"), "\(kind) \(reads) \(isTaken)")
      // What another writer has changed in rows that weren't saved here is learnt when these are read again.
      let isSaved = kind == .one || kind == .owned || kind == .ordered
      if isSaved || reads && !(kind == .many && isTaken) {
        #expect(mineNow == related(target, "back"), "\(kind) \(reads) \(isTaken)")
      }
    }
  }

  /// What a deletion with a rule that does nothing has left leading to the row leads to the new one, on both sides.
  @Test(
    arguments: [nil, "none", "another", "former"],
    [NSMergePolicyType.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType])
  func aRowIsLeftThatLeadsToIt(change: String?, policy: NSMergePolicyType) throws {
    let other = SmallModel.relationship("other", rule: .noActionDeleteRule)
    let back = SmallModel.relationship("back")
    let a = SmallModel.entity("A", [SmallModel.text("name"), other])
    let b = SmallModel.entity("B", [SmallModel.text("name"), back])
    SmallModel.link((other, of: a), (back, of: b))
    let file = folder.file("a.sqlite")
    let coordinator = try SmallModel.coordinator(SmallModel.model(a, b), file)
    let (mine, theirs) = (SmallModel.context(coordinator, policy), SmallModel.context(coordinator))
    let owner = SmallModel.new("A", ["name": "a"], in: theirs)
    let partner = SmallModel.new("B", ["name": "b"], in: theirs)
    let second = SmallModel.new("B", ["name": "c"], in: theirs)
    if change != nil { owner["other"] = second }
    try theirs.save()
    let here = try mine.existingObject(with: owner.objectID)
    #expect(related(here, "other") == (change == nil ? [] : ["c"]))
    partner["back"] = owner
    try theirs.save()
    theirs.delete(owner)
    try theirs.save()
    here["name"] = "a!"
    switch change {
    case "none": here["other"] = nil
    case "another":
      let third = SmallModel.new("B", ["name": "d"], in: mine)
      here["other"] = third
    default: break
    }
    try mine.save()
    #expect(try StoreCheck.findings(at: file) == [])
    let reader = SmallModel.context(coordinator)
    for context in [mine, reader] {
      let expected =
        switch change {
        case nil: ["b"]
        case "none": [String]()
        case "another": ["d"]
        // What was read here, and isn't changed, is written again.
        default: ["c"]
        }
      #expect(related(try SmallModel.all("A", context).first, "other") == expected)
      for object in try SmallModel.all("B", context) {
        let leads = expected == [object["name"] as? String ?? ""]
        #expect(related(object, "back") == (leads ? ["a!"] : []))
      }
    }
  }
}
