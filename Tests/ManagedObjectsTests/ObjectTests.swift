import DataModels
import Foundation
import Testing

@testable import ManagedObjects

@Suite struct ObjectTests {
  @Test func aNewObjectHasDefaultsAndATemporaryIdentity() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    #expect(person.age == 18)
    #expect(person.isActive)
    #expect(person.name == nil)
    #expect(person.born == nil)
    #expect(person.pay == 0)
    #expect(person.value(forKey: "pay") == nil)
    #expect(person.isInserted)
    #expect(person.objectID.isTemporaryID)
    #expect(person.objectID.uriRepresentation().absoluteString.hasPrefix("x-coredata:///Person/t"))
    #expect(person.events == ["insert"])
    #expect(context.hasChanges)
  }

  /// Key-value coding looks for `setName:`, which both spellings find.
  @Test func aValueIsSetByTheSpellingOfItsSetter() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    person.setValue("Ada", forKey: "Name")
    #expect(person.name == "Ada")
    person.setValuesForKeys(["Age": 36, "IsActive": false])
    #expect(person.age == 36)
    #expect(!person.isActive)
  }

  /// Numbers that programs mostly give are stored by a short way, with the same results as all others.
  @Test func numbersAreStoredInOneWay() {
    let numbers: [NSNumber] = [
      0, 1, -3, 2.5, -2.9, true, NSNumber(value: Int64.max), NSNumber(value: Int64.min),
      NSNumber(value: UInt64.max), NSNumber(value: 1e300), NSNumber(value: -1e300),
      NSNumber(value: Double.infinity), NSNumber(value: Double.nan), NSNumber(value: Float(0.1)),
      NSDecimalNumber(string: "12.75"), NSDecimalNumber.notANumber,
    ]
    for number in numbers {
      for type in [NSAttributeType.integer64AttributeType, .doubleAttributeType] {
        // An optional one takes the long way.
        let long = AttributeCodec.stored(Optional(number) as Any, type: type)
        let short = AttributeCodec.stored(number, type: type)
        #expect("\(String(describing: short))" == "\(String(describing: long))", "\(number)")
      }
    }
    for number in [0.5, -0.0, .infinity, .nan, 1e300] {
      let long = AttributeCodec.stored(Optional(number) as Any, type: .doubleAttributeType)
      let short = AttributeCodec.stored(number, type: .doubleAttributeType)
      #expect("\(String(describing: short))" == "\(String(describing: long))", "\(number)")
    }
  }

  /// The type of coordinates is a number as others are.
  @Test func attributesTakeCoordinates() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    func stored(_ value: CGFloat, _ type: NSAttributeType) -> NSNumber? {
      AttributeCodec.stored(value, type: type).flatMap {
        AttributeCodec.object($0, type: type) as? NSNumber
      }
    }
    #expect(stored(2.5, .floatAttributeType) == 2.5)
    #expect(stored(2.5, .integer16AttributeType) == 2)
    #expect(stored(.infinity, .integer16AttributeType) == 0)
    // Setting a value that isn't of the type ends the program.
    try #require(stored(2.5, .doubleAttributeType) == 2.5)
    person.setValue(CGFloat(2.5), forKey: "pay")
    #expect(person.pay == 2.5)
  }

  @Test func valuesOfEveryTypeComeBack() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    person.name = "Ada"
    person.age = -300
    person.born = Date(timeIntervalSinceReferenceDate: 1.5)
    person.pay = 0.1
    person.isActive = false
    person.photo = Data([1, 2])
    #expect(person["name"] as? String == "Ada")
    #expect(person["age"] as? Int == -300)
    #expect(person["age"] as? Int32 == -300)
    #expect(person["isActive"] as? Bool == false)
    #expect(person["born"] as? Date == Date(timeIntervalSinceReferenceDate: 1.5))
    #expect(
      person.changedValues().keys.sorted() == [
        "age", "born", "isActive", "name", "pay", "photo",
      ])
    try context.save()
    #expect(!person.hasChanges)
    #expect(person.changedValues().isEmpty)
    context.refresh(person, mergeChanges: false)
    #expect(person.isFault)
    #expect(person.age == -300)
    #expect(!person.isFault)
    #expect(person.photo == Data([1, 2]))
    #expect(person.events == ["insert", "willSave", "didSave", "fetch"])
  }

  @Test func inversesFollow() throws {
    let context = try Company.context()
    let acme = insert(CompanyMO.self, "Company", context)
    let other = insert(CompanyMO.self, "Company", context)
    let person = insert(PersonMO.self, "Person", context)
    person.employer = acme
    #expect(acme.staff == [person])
    other.staff = [person]
    #expect(person.employer === other)
    #expect(acme.staff.isEmpty)
    person.employer = nil
    #expect(other.staff.isEmpty)
    acme.mutableSetValue(forKey: "staff").add(person)
    #expect(person.employer === acme)

    let street = insert(NSManagedObject.self, "Address", context)
    acme.seat = street
    #expect(street["owner"] as? CompanyMO === acme)
    other.seat = street
    #expect(acme.seat == nil)
    #expect(street["owner"] as? CompanyMO === other)

    let project = insert(NSManagedObject.self, "Project", context)
    person.projects = [project]
    #expect((project["members"] as? Set<PersonMO>) == [person])
    project["members"] = nil
    #expect(person.projects.isEmpty)
  }

  @Test func orderIsKept() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    let tasks = (1...3).map { number in
      let task = insert(NSManagedObject.self, "Task", context)
      task["name"] = "\(number)"
      return task
    }
    person.tasks = [tasks[2], tasks[0]]
    tasks[1]["assignee"] = person
    acmeName(person, context)
    try context.save()
    context.reset()
    let found = try context.fetch(NSFetchRequest<PersonMO>(entityName: "Person"))
    #expect(found.first?.tasks.map { $0["name"] as? String } == ["3", "1", "2"])
  }

  private func acmeName(_ person: PersonMO, _ context: NSManagedObjectContext) {
    let acme = insert(CompanyMO.self, "Company", context)
    acme.name = "Acme"
    person.employer = acme
  }

  @Test func deleteRulesActWithTheSave() throws {
    let context = try Company.context()
    let acme = insert(CompanyMO.self, "Company", context)
    acme.name = "Acme"
    let person = insert(PersonMO.self, "Person", context)
    person.employer = acme
    let street = insert(NSManagedObject.self, "Address", context)
    acme.seat = street
    let task = insert(NSManagedObject.self, "Task", context)
    task["assignee"] = person
    try context.save()

    context.delete(acme)
    let denied = #expect(throws: NSError.self) { try context.save() }
    #expect(denied?.code == NSValidationRelationshipDeniedDeleteError)
    #expect(acme.isDeleted)
    context.rollback()
    #expect(!acme.isDeleted)

    context.delete(person)
    try context.save()
    #expect(person.managedObjectContext == nil)
    #expect(!person.isDeleted)
    #expect(task.managedObjectContext == nil)
    #expect(acme.staff.isEmpty)
    context.delete(acme)
    try context.save()
    #expect(street.managedObjectContext == nil)
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Address")) == 0)
  }

  @Test func missingValuesAreRefusedTogether() throws {
    let context = try Company.context()
    let acme = insert(CompanyMO.self, "Company", context)
    let one = #expect(throws: NSError.self) { try context.save() }
    #expect(one?.code == NSValidationMissingMandatoryPropertyError)
    #expect(one?.userInfo[NSValidationKeyErrorKey] as? String == "name")
    #expect(one?.userInfo[NSValidationObjectErrorKey] as? CompanyMO === acme)
    let person = insert(PersonMO.self, "Person", context)
    person["age"] = nil
    let several = #expect(throws: NSError.self) { try context.save() }
    #expect(several?.code == NSValidationMultipleErrorsError)
    #expect((several?.userInfo[NSDetailedErrorsKey] as? [any Error])?.count == 2)
    #expect(context.insertedObjects == [acme, person])
    acme.name = "Acme"
    person.age = 1
    try context.save()
    #expect(!context.hasChanges)
  }

  @Test func rollbackTakesEverythingBack() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    person.name = "Ada"
    try context.save()
    person.name = "Eve"
    let other = insert(PersonMO.self, "Person", context)
    context.rollback()
    #expect(person.name == "Ada")
    #expect(other.managedObjectContext == nil)
    #expect(!context.hasChanges)
    person.name = "Eve"
    #expect(context.updatedObjects == [person])
  }

  @Test func unattachedObjectsMayBeInsertedLater() throws {
    let context = try Company.context()
    let entity = try #require(NSEntityDescription.entity(forEntityName: "Person", in: context))
    let person = PersonMO(entity: entity, insertInto: nil)
    person.name = "Ada"
    #expect(!context.hasChanges)
    context.insert(person)
    try context.save()
    #expect(!person.objectID.isTemporaryID)
    #expect(person.name == "Ada")
  }

  @Test func aDateThatIsNoNumberIsDescribed() throws {
    let person = insert(PersonMO.self, "Person", try Company.context())
    person["born"] = Date(timeIntervalSinceReferenceDate: .nan)
    #expect(person.description.contains("born = nan;"))
  }

  @Test func unattachedObjectsKeepWhatTheyLeadTo() throws {
    let context = try Company.context()
    func make(_ name: String) throws -> NSManagedObject {
      let entity = try #require(NSEntityDescription.entity(forEntityName: name, in: context))
      return NSManagedObject(entity: entity, insertInto: nil)
    }
    let (person, company) = (try make("Person"), try make("Company"))
    company.setValue("first", forKey: "name")
    person.setValue(company, forKey: "employer")
    #expect(person.value(forKey: "employer") as? NSManagedObject === company)
    #expect(company.value(forKey: "staff") as? Set<NSManagedObject> == [person])
    let other = try make("Company")
    other.setValue("second", forKey: "name")
    other.setValue(Set([person]), forKey: "staff")
    #expect(person.value(forKey: "employer") as? NSManagedObject === other)
    #expect(company.value(forKey: "staff") as? Set<NSManagedObject> == [])
    for object in [person, other, company] { context.insert(object) }
    try context.save()
    #expect(person.value(forKey: "employer") as? NSManagedObject === other)
    context.refreshAllObjects()
    #expect(person.value(forKeyPath: "employer.name") as? String == "second")
    #expect((company.value(forKey: "staff") as? Set<NSManagedObject>)?.isEmpty == true)
  }

  @Test func aSavedIdentityIsFoundByItsURL() throws {
    let context = try Company.context()
    let coordinator = try #require(context.persistentStoreCoordinator)
    let person = insert(PersonMO.self, "Manager", context)
    try context.save()
    let url = person.objectID.uriRepresentation()
    #expect(url.absoluteString.hasSuffix("/Manager/p1"))
    let id = try #require(coordinator.managedObjectID(forURIRepresentation: url))
    #expect(id == person.objectID)
    #expect(try context.existingObject(with: id) === person)
    let missing = try #require(
      URL(string: url.absoluteString.replacingOccurrences(of: "/p1", with: "/p9")))
    let absent = try #require(coordinator.managedObjectID(forURIRepresentation: missing))
    let error = #expect(throws: NSError.self) { try context.existingObject(with: absent) }
    #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    #expect(coordinator.managedObjectID(forURIRepresentation: URL(fileURLWithPath: "/x")) == nil)
    let store = try #require(coordinator.persistentStores.first)
    let paths = [
      "", "/", "/Person", "/Person/", "/Person/p", "/Person/7", "/Nobody/p7", "/Person/p7/8",
      "//p7",
    ]
    for path in paths {
      let url = try #require(URL(string: "x-coredata://\(store.identifier ?? "")\(path)"))
      #expect(coordinator.managedObjectID(forURIRepresentation: url) == nil)
    }
    for text in ["x-coredata:///Person/p7", "x-coredata://other/Person/p7", "y-coredata://a/b/p1"] {
      #expect(coordinator.managedObjectID(for: text) == nil)
    }
  }

  /// A primitive value's setter that fires a fault makes no change either.
  @Test func primitiveValuesOfAFaultAreNoChange() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    person.name = "Ada"
    try context.save()
    context.refresh(person, mergeChanges: false)
    person.setPrimitiveValue("cached", forKey: "name")
    #expect(!person.hasChanges && !context.hasChanges)
    #expect(person.name == "cached")
    person.pay = 2
    #expect(person.hasChanges)
  }
}

/// Inserts an object of an entity, as an instance of its class.
func insert<Object: NSManagedObject>(
  _ type: Object.Type, _ entity: String, _ context: NSManagedObjectContext
) -> Object {
  let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
  guard let object = object as? Object else {
    preconditionFailure("\(entity) is of the class \(Swift.type(of: object))")
  }
  return object
}
