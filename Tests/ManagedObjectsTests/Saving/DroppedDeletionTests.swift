import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Deletions of which the rollback policy drops a part, as another writer has changed it, and relationships likewise.
@Suite struct DroppedDeletionTests {
  private let folder: TemporaryFolder
  private let file: URL

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("a.sqlite")
  }

  enum Ending { case stored, refused(Int) }

  /// An employee of a deleted department stays, because of a conflict. The department is gone, so the employee has none.
  @Test(arguments: [
    (NSDeleteRule.cascadeDeleteRule, true, Ending.stored), (.nullifyDeleteRule, true, .stored),
    (.cascadeDeleteRule, false, .refused(NSValidationMissingMandatoryPropertyError)),
    (.denyDeleteRule, true, .refused(NSValidationRelationshipDeniedDeleteError)),
  ])
  func whatStaysLeadsToNothingDeleted(rule: NSDeleteRule, isOptional: Bool, ending: Ending) throws {
    let employees = SmallModel.relationship("employees", many: true)
    let department = SmallModel.relationship("department")
    employees.deleteRule = rule
    department.isOptional = isOptional
    let departments = SmallModel.entity("Department", [employees])
    let people = SmallModel.entity("Employee", [SmallModel.text("name"), department])
    SmallModel.link((employees, of: departments), (department, of: people))
    let coordinator = try SmallModel.coordinator(SmallModel.model(departments, people), file)
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    mine.mergePolicy = NSMergePolicy.rollback
    let sales = SmallModel.new("Department", in: mine)
    let staff = ["x", "y"].map {
      SmallModel.new("Employee", ["name": $0, "department": sales], in: mine)
    }
    try mine.save()
    try theirs.existingObject(with: staff[0].objectID)["name"] = "changed"
    try theirs.save()
    for object in [sales] + (rule == .cascadeDeleteRule ? [] : staff) { mine.delete(object) }
    let reader = SmallModel.context(coordinator)
    switch ending {
    case .stored:
      try mine.save()
      let left = try SmallModel.all("Employee", reader)
      #expect(left.map { $0["name"] as? String } == ["changed"])
      #expect(left.map { $0["department"] == nil } == [true])
      #expect(try SmallModel.all("Department", reader).isEmpty)
      #expect(staff[0]["department"] == nil)
    case .refused(let code):
      let error = #expect(throws: NSError.self) { try mine.save() }
      #expect(error?.code == code)
      #expect(try SmallModel.all("Employee", reader).count == 2)
    }
    #expect(try StoreCheck.findings(at: file) == [])
  }

  /// A department comes back without the employees that were new: the cascade has cancelled their insertion.
  @Test(arguments: [false, true], [false, true])
  func whatWasNewStaysCancelled(isOrdered: Bool, hasIdentity: Bool) throws {
    let employees = SmallModel.relationship("employees", many: true, ordered: isOrdered)
    let department = SmallModel.relationship("department")
    employees.deleteRule = .cascadeDeleteRule
    let departments = SmallModel.entity("Department", [SmallModel.text("name"), employees])
    let people = SmallModel.entity("Employee", [SmallModel.text("name"), department])
    SmallModel.link((employees, of: departments), (department, of: people))
    let coordinator = try SmallModel.coordinator(SmallModel.model(departments, people), file)
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    mine.mergePolicy = NSMergePolicy.rollback
    let sales = SmallModel.new("Department", ["name": "sales"], in: mine)
    try mine.save()
    try theirs.existingObject(with: sales.objectID)["name"] = "changed"
    try theirs.save()
    let new = SmallModel.new("Employee", ["name": "x", "department": sales], in: mine)
    if hasIdentity { try mine.obtainPermanentIDs(for: [new]) }
    mine.delete(sales)
    mine.processPendingChanges()
    try mine.save()
    #expect(sales["name"] as? String == "changed")
    #expect(SmallModel.names(sales, "employees") == [])
    #expect(!mine.hasChanges)
    let reader = SmallModel.context(coordinator)
    #expect(try SmallModel.all("Employee", reader).isEmpty)
    #expect(try SmallModel.all("Department", reader).count == 1)
    #expect(try StoreCheck.findings(at: file) == [])
  }

  /// The same one to one, from either side.
  @Test(arguments: [NSDeleteRule.cascadeDeleteRule, .nullifyDeleteRule], [false, true])
  func ofAPairOneStays(rule: NSDeleteRule, isReverse: Bool) throws {
    let (left, right) = (SmallModel.relationship("left"), SmallModel.relationship("right"))
    (left.deleteRule, right.deleteRule) = (rule, rule)
    let entity = SmallModel.entity("Item", [SmallModel.text("name"), left, right])
    SmallModel.link((left, of: entity), (right, of: entity))
    let coordinator = try SmallModel.coordinator(SmallModel.model(entity), file)
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    mine.mergePolicy = NSMergePolicy.rollback
    let one = SmallModel.new("Item", ["name": "one"], in: mine)
    let other = SmallModel.new("Item", ["name": "other", "left": one], in: mine)
    try mine.save()
    let (kept, gone) = isReverse ? (other, one) : (one, other)
    try theirs.existingObject(with: kept.objectID)["name"] = "changed"
    try theirs.save()
    mine.delete(kept)
    mine.delete(gone)
    try mine.save()
    let items = try SmallModel.all("Item", SmallModel.context(coordinator))
    #expect(items.map { $0["name"] as? String } == ["changed"])
    #expect(items.allSatisfy { $0["left"] == nil && $0["right"] == nil })
    #expect(try StoreCheck.findings(at: file) == [])
  }

  /// A change is dropped that another writer has made, too, and of which the other side was read since.
  @Test func whatTheOtherWriterHasMadeStays() throws {
    let (left, right) = (SmallModel.relationship("left"), SmallModel.relationship("right"))
    let entity = SmallModel.entity("Item", [SmallModel.text("name"), left, right])
    SmallModel.link((left, of: entity), (right, of: entity))
    let coordinator = try SmallModel.coordinator(SmallModel.model(entity), file)
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    mine.mergePolicy = NSMergePolicy.rollback
    let one = SmallModel.new("Item", ["name": "one"], in: mine)
    let other = SmallModel.new("Item", ["name": "other"], in: mine)
    try mine.save()
    try theirs.existingObject(with: other.objectID)["right"] = theirs.object(with: one.objectID)
    try theirs.save()
    mine.refresh(other, mergeChanges: true)
    one["left"] = other
    try mine.save()
    #expect(one["left"] as? NSManagedObject === other)
    #expect(other["right"] as? NSManagedObject === one)
    #expect(try StoreCheck.findings(at: file) == [])
  }
}
