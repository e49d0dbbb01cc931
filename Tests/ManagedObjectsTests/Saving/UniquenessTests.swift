import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Uniqueness constraints: who survives a conflict, with which values, and which relationships follow.
@Suite struct UniquenessTests {
  let folder: TemporaryFolder
  let coordinator: NSPersistentStoreCoordinator

  static let resolving: [NSMergePolicyType] = [
    .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
    .overwriteMergePolicyType, .rollbackMergePolicyType,
  ]

  init() throws {
    folder = try TemporaryFolder()
    coordinator = try SmallModel.coordinator(Self.model(), folder.file("a.sqlite"))
  }

  /// `Company` (`name` is unique): `workers` (cascading) ↔ `company`, `boss` ↔ `companies`, `tags` ↔ `companies`,
  /// ordered `steps` ↔ `company`, `papers` without inverse; a `Note` leads to a company without inverse.
  static func model() -> NSManagedObjectModel {
    func many(_ name: String, rule: NSDeleteRule = .nullifyDeleteRule, ordered: Bool = false)
      -> NSRelationshipDescription
    {
      SmallModel.relationship(name, many: true, ordered: ordered, rule: rule)
    }
    let (workers, steps) = (
      many("workers", rule: .cascadeDeleteRule),
      many("steps", rule: .cascadeDeleteRule, ordered: true)
    )
    let (tags, papers) = (many("tags"), many("papers"))
    let boss = SmallModel.relationship("boss")
    let company = SmallModel.entity(
      "Company",
      [
        SmallModel.text("name"), SmallModel.text("city"), SmallModel.number("size"), workers, steps,
        tags, papers, boss,
      ],
      unique: [["name"]])
    func leading(_ entity: String, _ back: NSRelationshipDescription) -> NSEntityDescription {
      SmallModel.entity(entity, [SmallModel.text("name"), back])
    }
    let backs = (
      SmallModel.relationship("company"), SmallModel.relationship("company"), many("companies"),
      many("companies"), SmallModel.relationship("company")
    )
    let worker = leading("Worker", backs.0)
    let step = leading("Step", backs.1)
    let tag = leading("Tag", backs.2)
    let person = leading("Person", backs.3)
    let note = leading("Note", backs.4)
    let paper = SmallModel.entity("Paper", [SmallModel.text("name")])
    SmallModel.link((workers, of: company), (backs.0, of: worker))
    SmallModel.link((steps, of: company), (backs.1, of: step))
    SmallModel.link((tags, of: company), (backs.2, of: tag))
    SmallModel.link((boss, of: company), (backs.3, of: person))
    backs.4.destinationEntity = company
    papers.destinationEntity = paper
    return SmallModel.model(company, worker, step, tag, person, note, paper)
  }

  /// A company with one of each related object.
  func makeCompany(
    _ suffix: String, _ values: [String: Any], _ context: NSManagedObjectContext
  ) -> NSManagedObject {
    let company = SmallModel.new("Company", values, in: context)
    for (entity, key) in [("Worker", "company"), ("Step", "company"), ("Note", "company")] {
      SmallModel.new(entity, ["name": "\(entity) \(suffix)", key: company], in: context)
    }
    for (entity, key) in [("Tag", "tags"), ("Paper", "papers")] {
      company.addObject(
        SmallModel.new(entity, ["name": "\(entity) \(suffix)"], in: context),
        toRelationshipNamed: key)
    }
    company["boss"] = SmallModel.new("Person", ["name": "Boss \(suffix)"], in: context)
    return company
  }

  @Test(arguments: resolving)
  func whoeverLedToTheLoserLeadsToTheSurvivor(policy: NSMergePolicyType) throws {
    let first = SmallModel.context(coordinator)
    let old = makeCompany("1", ["name": "Acme", "city": "Rome", "size": 1], first)
    try first.save()
    let context = SmallModel.context(coordinator, policy)
    let new = makeCompany("2", ["name": "Acme", "size": 2], context)
    let boss = new["boss"] as? NSManagedObject
    try context.save()
    #expect(!context.hasChanges)

    let staysNew = policy == .overwriteMergePolicyType
    for reader in [context, SmallModel.context(coordinator)] {
      let companies = try SmallModel.all("Company", reader)
      let only = try #require(companies.first)
      #expect(companies.count == 1)
      #expect(only.objectID == (staysNew ? new : old).objectID)
      let takesNew = staysNew || policy == .mergeByPropertyObjectTrumpMergePolicyType
      #expect(only["size"] as? Int == (takesNew ? 2 : 1))
      // The row keeps values that the new object lacks; overwriting keeps nothing.
      #expect(only["city"] as? String == (staysNew ? nil : "Rome"))
      for key in ["workers", "steps", "tags", "papers"] {
        let kind = key.dropLast().prefix(1).uppercased() + key.dropLast().dropFirst()
        #expect(Set(SmallModel.names(only, key)) == ["\(kind) 1", "\(kind) 2"], "\(key)")
      }
      for kind in ["Worker", "Step", "Note"] {
        let followers = try SmallModel.all(kind, reader)
        #expect(followers.count == 2)
        #expect(followers.allSatisfy { $0["company"] as? NSManagedObject === only }, "\(kind)")
      }
      #expect(
        (only["boss"] as? NSManagedObject)?["name"] as? String == (takesNew ? "Boss 2" : "Boss 1"))
    }
    let leads = policy == .mergeByPropertyObjectTrumpMergePolicyType || staysNew
    #expect(SmallModel.names(boss, "companies") == (leads ? ["Acme"] : []))
    #expect(new.managedObjectContext == nil || staysNew)
  }

  @Test(arguments: resolving)
  func newObjectsOfOneSaveCountInTheirOrder(policy: NSMergePolicyType) throws {
    let context = SmallModel.context(coordinator, policy)
    var companies: [NSManagedObject] = []
    for number in 1...3 {
      companies.append(makeCompany("\(number)", ["name": "Acme", "size": number], context))
    }
    SmallModel.new("Company", ["name": "Other"], in: context)
    try context.save()
    let reader = SmallModel.context(coordinator)
    let read = try SmallModel.all("Company", reader)
    #expect(read.map { $0["name"] as? String }.sorted { $0 ?? "" < $1 ?? "" } == ["Acme", "Other"])
    let acme = try #require(read.first { $0["name"] as? String == "Acme" })
    let isLast = policy == .overwriteMergePolicyType
    #expect(acme.objectID == companies[isLast ? 2 : 0].objectID)
    let takesLast = isLast || policy == .mergeByPropertyObjectTrumpMergePolicyType
    #expect(acme["size"] as? Int == (takesLast ? 3 : 1))
    #expect(SmallModel.names(acme, "workers") == ["Worker 1", "Worker 2", "Worker 3"])
    #expect(SmallModel.names(acme, "papers") == ["Paper 1", "Paper 2", "Paper 3"])
    #expect(
      try SmallModel.all("Note", reader).allSatisfy { $0["company"] as? NSManagedObject === acme })
  }

  @Test func newObjectsThatMeetARowSettleItAmongThemselvesFirst() throws {
    let first = SmallModel.context(coordinator)
    let old = makeCompany("0", ["name": "Acme", "size": 0], first)
    try first.save()
    let context = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    for number in 1...2 {
      _ = makeCompany("\(number)", ["name": "Acme", "size": number], context)
    }
    try context.save()
    let reader = SmallModel.context(coordinator)
    let read = try SmallModel.all("Company", reader)
    #expect(read.map(\.objectID) == [old.objectID])
    #expect(read.first?["size"] as? Int == 2)
    #expect(SmallModel.names(read.first, "workers") == ["Worker 0", "Worker 1", "Worker 2"])
  }

  @Test func conflictsAreOfTwoKinds() throws {
    let first = SmallModel.context(coordinator)
    let old = SmallModel.new("Company", ["name": "Acme", "city": "Rome"], in: first)
    try first.save()
    func conflicts(_ context: NSManagedObjectContext) throws -> [NSConstraintConflict] {
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      return try #require(
        error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])
    }
    let one = SmallModel.context(coordinator)
    let new = SmallModel.new("Company", ["name": "Acme"], in: one)
    let withRow = try conflicts(one)
    #expect(withRow.count == 1)
    #expect(withRow.first?.databaseObject?.objectID == old.objectID)
    #expect(withRow.first?.databaseSnapshot?["city"] as? String == "Rome")
    #expect(withRow.first?.conflictingObjects == [new])
    #expect(withRow.first?.constraintValues["name"] as? String == "Acme")
    #expect(withRow.first?.description.hasPrefix("NSConstraintConflict (0x") == true)
    #expect(new.isInserted)

    let two = SmallModel.context(coordinator)
    let made = ["a", "a", "b", "a", "b"].map {
      SmallModel.new("Company", ["name": $0], in: two)
    }
    let amongNew = try conflicts(two)
    #expect(
      amongNew.map { $0.databaseObject == nil && $0.databaseSnapshot == nil } == [true, true])
    #expect(
      amongNew.map { Set($0.conflictingObjects) } == [
        [made[0], made[1], made[3]], [made[2], made[4]],
      ])
    #expect(amongNew.first?.conflictingSnapshots.count == 3)
    // A failed save can be repeated.
    for (number, company) in made.enumerated() { company["name"] = "\(number)" }
    try two.save()
    #expect(try SmallModel.all("Company", SmallModel.context(coordinator)).count == 6)
  }

  @Test func manyClashesAreToldApart() throws {
    let first = SmallModel.context(coordinator)
    for number in 0..<200 {
      _ = SmallModel.new("Company", ["name": "stored \(number)"], in: first)
    }
    try first.save()
    let context = SmallModel.context(coordinator)
    var made: [String: [NSManagedObject]] = [:]
    // The clashes of one name don't follow one another.
    for _ in 0..<3 {
      for number in 0..<200 {
        for name in ["stored \(number)", "new \(number)"] {
          made[name, default: []].append(
            SmallModel.new("Company", ["name": name], in: context))
        }
      }
    }
    let error = #expect(throws: NSError.self) { try context.save() }
    let conflicts = try #require(
      error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])
    #expect(conflicts.count == made.count)
    for conflict in conflicts {
      let name = try #require(conflict.constraintValues["name"] as? String)
      #expect(Set(conflict.conflictingObjects) == Set(made[name] ?? []), "\(name)")
      // Objects of one save clash with each other first.
      #expect(conflict.databaseObject == nil, "\(name)")
    }
  }

  @Test func valuesMayChangeHands() throws {
    let context = SmallModel.context(coordinator)
    let companies = ["a", "b", "c", "d"].map {
      SmallModel.new("Company", ["name": $0], in: context)
    }
    try context.save()
    func expectNames(_ names: [String]) throws {
      for (company, name) in zip(companies, names) { company["name"] = name }
      try context.save()
      let read = try SmallModel.all("Company", SmallModel.context(coordinator))
      #expect(read.map { $0["name"] as? String } == names)
      // The version numbers are up to date.
      companies[0]["city"] = names[0]
      try context.save()
    }
    try expectNames(["b", "a", "c", "d"])
    try expectNames(["a", "c", "d", "e"])
    try expectNames(["c", "d", "e", "a"])
    // Another writer intervenes.
    let other = SmallModel.context(coordinator)
    try SmallModel.all("Company", other)[1]["city"] = "theirs"
    try other.save()
    companies[0]["name"] = "d"
    companies[1]["name"] = "c"
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try context.save()
    let read = try SmallModel.all("Company", SmallModel.context(coordinator))
    #expect(read.map { $0["name"] as? String } == ["d", "c", "e", "a"])
    #expect(read[1]["city"] as? String == "theirs")
  }

  @Test(arguments: NSMergePolicyType.allCases)
  func aRenamedObjectMeetsARow(policy: NSMergePolicyType) throws {
    let first = SmallModel.context(coordinator)
    let (one, two) = (
      makeCompany("1", ["name": "a", "size": 1], first),
      makeCompany("2", ["name": "b", "size": 2, "city": "Oslo"], first)
    )
    try first.save()
    let context = SmallModel.context(coordinator, policy)
    let renamed = try context.existingObject(with: one.objectID)
    renamed["name"] = "b"
    renamed["size"] = 10
    if policy == .errorMergePolicyType {
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      #expect(renamed["name"] as? String == "b")
      return
    }
    try context.save()
    let reader = SmallModel.context(coordinator)
    let read = try SmallModel.all("Company", reader)
    func expect(_ values: [(String, Int, String?)]) {
      #expect(read.map { $0["name"] as? String } == values.map(\.0))
      #expect(read.map { $0["size"] as? Int } == values.map(\.1))
      #expect(read.map { $0["city"] as? String } == values.map(\.2))
    }
    switch policy {
    case .mergeByPropertyStoreTrumpMergePolicyType: expect([("a", 10, nil), ("b", 2, "Oslo")])
    case .rollbackMergePolicyType: expect([("a", 1, nil), ("b", 2, "Oslo")])
    case .mergeByPropertyObjectTrumpMergePolicyType: expect([("b", 10, "Oslo")])
    default: expect([("b", 10, nil)])
    }
    guard read.count == 1 else { return }
    #expect(read.first?.objectID == one.objectID)
    #expect(SmallModel.names(read.first, "workers") == ["Worker 1", "Worker 2"])
    #expect(SmallModel.names(read.first, "papers") == ["Paper 1", "Paper 2"])
    let another = SmallModel.context(coordinator)
    let notes = try SmallModel.all("Note", another)
    #expect(
      notes.map { ($0["company"] as? NSManagedObject)?.objectID } == [one.objectID, one.objectID])
    _ = two
  }

  @Test func noValueIsNoConflict() throws {
    let context = SmallModel.context(coordinator)
    for _ in 0..<2 { SmallModel.new("Company", in: context) }
    try context.save()
    #expect(try SmallModel.all("Company", context).count == 2)
  }
}
