import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Uniqueness constraints over elements of composite attributes.
@Suite struct CompositeUniquenessTests {
  private let folder: TemporaryFolder
  private var url: URL { folder.file("a.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  /// `Person {name, address {city, code, place {floor}}}`, and its subentity `Worker {job}`.
  private func model(_ unique: [[String]] = [["address.code"]]) -> NSManagedObjectModel {
    let (address, place) = (NSCompositeAttributeDescription(), NSCompositeAttributeDescription())
    (address.name, place.name) = ("address", "place")
    place.elements = [SmallModel.number("floor")]
    address.elements = [SmallModel.text("city"), SmallModel.text("code"), place]
    let person = SmallModel.entity("Person", [SmallModel.text("name"), address], unique: unique)
    let worker = SmallModel.entity("Worker", [SmallModel.text("job")])
    person.subentities = [worker]
    return SmallModel.model(person, worker)
  }

  private func context(
    _ policy: NSMergePolicyType = .errorMergePolicyType, _ unique: [[String]] = [["address.code"]]
  ) throws -> NSManagedObjectContext {
    SmallModel.context(try SmallModel.coordinator(model(unique), url), policy)
  }

  @discardableResult
  private func person(
    _ name: String, _ code: String?, city: String = "Ulm", floor: Int? = nil,
    entity: String = "Person", in context: NSManagedObjectContext
  ) -> NSManagedObject {
    var address: [String: Any] = ["city": city]
    address["code"] = code
    if let floor { address["place"] = ["floor": floor] }
    return SmallModel.new(entity, ["name": name, "address": address], in: context)
  }

  /// The names, cities and codes of all people, in the order of their keys.
  private func people(_ unique: [[String]] = [["address.code"]]) throws -> [String] {
    try SmallModel.all("Person", context(.errorMergePolicyType, unique)).map { person in
      ["name", "address.city", "address.code"].map {
        person.value(forKeyPath: $0) as? String ?? "-"
      }.joined(separator: " ")
    }
  }

  @Test func theErrorNamesThePath() throws {
    let first = try context()
    person("a", "1", in: first)
    try first.save()
    let second = try context()
    let new = person("b", "1", city: "Bonn", in: second)
    let error = #expect(throws: NSError.self) { try second.save() }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
    let conflict = try #require(
      (error?.userInfo["conflictList"] as? [NSConstraintConflict])?.first)
    #expect(conflict.constraint == ["address.code"])
    #expect(conflict.constraintValues as? [String: String] == ["address.code": "1"])
    #expect(conflict.conflictingObjects == [new])
    #expect(conflict.databaseObject?.value(forKey: "name") as? String == "a")
    new.setValue("2", forKeyPath: "address.code")
    try second.save()
    #expect(try people() == ["a Ulm 1", "b Bonn 2"])
  }

  @Test(arguments: [NSMergePolicyType.errorMergePolicyType] + UniquenessTests.resolving)
  func newObjectsMeetRowsAndEachOther(policy: NSMergePolicyType) throws {
    let first = try context()
    person("a", "1", in: first)
    person("c", nil, in: first)
    person("c", nil, in: first)
    try first.save()
    let second = try context(policy)
    person("b", "1", city: "Bonn", entity: "Worker", in: second)
    if policy == .errorMergePolicyType {
      person("d", "1", in: second)
      let error = #expect(throws: NSError.self) { try second.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      return
    }
    try second.save()
    let rest = ["c Ulm -", "c Ulm -"]
    switch policy {
    case .overwriteMergePolicyType: #expect(try people() == rest + ["b Bonn 1"])
    case .mergeByPropertyObjectTrumpMergePolicyType:
      // A row of a person isn't a worker's.
      #expect(try people() == rest + ["b Bonn 1"])
    default: #expect(try people() == ["a Ulm 1"] + rest)
    }
  }

  @Test(arguments: UniquenessTests.resolving)
  func newObjectsOfOneSaveMeet(policy: NSMergePolicyType) throws {
    let context = try context(policy)
    person("a", "1", in: context)
    person("b", "1", city: "Bonn", in: context)
    person("c", "2", in: context)
    try context.save()
    let takesLast =
      policy == .overwriteMergePolicyType || policy == .mergeByPropertyObjectTrumpMergePolicyType
    #expect(try people().sorted() == [takesLast ? "b Bonn 1" : "a Ulm 1", "c Ulm 2"])
  }

  /// What gave way is the element alone.
  @Test func theElementGoesBack() throws {
    let context = try context(.mergeByPropertyStoreTrumpMergePolicyType)
    person("a", "1", in: context)
    let other = person("b", "2", in: context)
    try context.save()
    other["address"] = ["city": "Bonn", "code": "1"]
    try context.save()
    #expect(try people() == ["a Ulm 1", "b Bonn 2"])
    #expect(other.value(forKeyPath: "address.code") as? String == "2")
  }

  /// An object that had no address has none again.
  @Test func theElementGoesBackToNothing() throws {
    let context = try context(.mergeByPropertyStoreTrumpMergePolicyType)
    person("a", "1", in: context)
    let other = SmallModel.new("Person", ["name": "b"], in: context)
    try context.save()
    other["address"] = ["code": "1"]
    try context.save()
    #expect(other["address"] == nil)
    #expect(try people() == ["a Ulm 1", "b - -"])
  }

  @Test(arguments: [NSMergePolicyType.errorMergePolicyType] + UniquenessTests.resolving)
  func codesAreExchanged(policy: NSMergePolicyType) throws {
    let context = try context(policy)
    let people = ["1", "2", "3"].map { (code: String) in
      person("p\(code)", code, in: context)
    }
    try context.save()
    for (person, code) in zip(people, ["2", "3", "1"]) {
      person.setValue(code, forKeyPath: "address.code")
    }
    try context.save()
    #expect(try self.people() == ["p1 Ulm 2", "p2 Ulm 3", "p3 Ulm 1"])
    people[0].setValue("4", forKeyPath: "address.code")
    person("new", "2", in: context)
    try context.save()
    #expect(
      try self.people() == ["p1 Ulm 4", "p2 Ulm 3", "p3 Ulm 1", "new Ulm 2"])
  }

  @Test func aMixtureIsOneConstraint() throws {
    let unique = [["address.code", "name"], ["address.place.floor"]]
    let context = try context(.mergeByPropertyObjectTrumpMergePolicyType, unique)
    person("a", "1", in: context)
    person("a", "2", in: context)
    person("b", "1", floor: 7, in: context)
    try context.save()
    #expect(try people(unique).count == 3)
    person("a", "1", city: "Bonn", in: context)
    person("c", "9", city: "Jena", floor: 7, in: context)
    try context.save()
    #expect(try people(unique) == ["a Bonn 1", "a Ulm 2", "c Jena 9"])
    context.mergePolicy = NSErrorMergePolicy
    person("a", "2", in: context)
    let error = #expect(throws: NSError.self) { try context.save() }
    let conflict = (error?.userInfo["conflictList"] as? [NSConstraintConflict])?.first
    #expect(
      conflict?.constraintValues as? [String: String] == ["address.code": "2", "name": "a"])
  }

  @Test func batchesUpdateRows() throws {
    let context = try context(.mergeByPropertyObjectTrumpMergePolicyType)
    person("a", "1", in: context)
    person("b", "2", in: context)
    try context.save()
    func rows(_ codes: [String]) -> [[String: Any]] {
      codes.map { ["name": "new \($0)", "address": ["city": "Bonn", "code": $0]] }
    }
    let request = NSBatchInsertRequest(entityName: "Person", objects: rows(["2", "1", "3", "3"]))
    request.resultType = .count
    #expect((try context.execute(request) as? NSBatchInsertResult)?.result as? Int == 3)
    #expect(try people() == ["new 1 Bonn 1", "new 2 Bonn 2", "new 3 Bonn 3"])
    context.mergePolicy = NSMergeByPropertyStoreTrumpMergePolicy
    try context.execute(NSBatchInsertRequest(entityName: "Person", objects: rows(["1", "4"])))
    #expect(
      try people() == ["new 1 Bonn 1", "new 2 Bonn 2", "new 3 Bonn 3", "new 4 Bonn 4"])
    context.mergePolicy = NSErrorMergePolicy
    let last = NSBatchInsertRequest(entityName: "Person", objects: rows(["1"]))
    #expect(throws: NSError.self) { try context.execute(last) }
  }
}
