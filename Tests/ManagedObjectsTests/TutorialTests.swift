import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Classes as written in tutorials; the test passes if they compile and work.
@Suite struct TutorialTests {
  private func context() throws -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    let coordinator = try TestStore.coordinator(Recipe.model)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test func classesNeedNoRequiredInitializer() throws {
    let context = try context()
    let recipe = Recipe(title: "Soup", context: context)
    #expect(recipe.made == 1)
    let other = try #require(
      NSEntityDescription.insertNewObject(forEntityName: "Recipe", into: context) as? Recipe)
    #expect(other.made == 1)
    other.title = "Stew"
    try context.save()
    context.reset()
    let found = try context.fetch(Recipe.fetchRequest())
    #expect(found.map(\.title).sorted { ($0 ?? "") < ($1 ?? "") } == ["Soup", "Stew"])
    #expect(found.map(\.made) == [1, 1])
  }

  @Test func classesKnowTheirEntities() throws {
    let context = try context()
    #expect(Recipe.entity().name == "Recipe")
    #expect(Recipe.entity().managedObjectModel === Recipe.model)
    let untyped: NSFetchRequest<any NSFetchRequestResult> = Recipe.fetchRequest()
    _ = Recipe(title: "Soup", context: context)
    #expect((try context.fetch(untyped) as? [Recipe])?.first?.title == "Soup")
    let object = Recipe(entity: Recipe.entity(), insertInto: context)
    #expect(object.isInserted)
  }

  @Test func accessorsAreWrittenByHand() throws {
    let context = try context()
    let recipe = Recipe(title: "Soup", context: context)
    recipe.rating = 7
    #expect(recipe.rating == 5)
    #expect(recipe.value(forKey: "stars") as? Int == 5)
    recipe.setPrimitiveValue(3, forKey: "stars")
    #expect(recipe.primitiveValue(forKey: "stars") as? Int == 3)
    try context.save()
    recipe.setPrimitiveValue(4, forKey: "stars")
    #expect(!recipe.isUpdated)
    recipe.willChangeValue(forKey: "stars")
    recipe.setPrimitiveValue(2, forKey: "stars")
    recipe.didChangeValue(forKey: "stars")
    #expect(recipe.isUpdated)
    #expect(recipe.changedValues()["stars"] as? Int == 2)
  }

  @Test func eachValueIsValidatedIfTheClassSaysSo() throws {
    let context = try context()
    let recipe = Recipe(title: "  Soup ", context: context)
    try context.save()
    #expect(recipe.title == "Soup")
    recipe.title = "bad"
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.domain == "Recipes")
    recipe.title = "good"
    try context.save()
    var value: AnyObject?
    #expect(throws: NSError.self) { try recipe.validateValue(&value, forKey: "stars") }
    value = NSNumber(value: 3)
    try recipe.validateValue(&value, forKey: "stars")
  }

  @Test func unknownKeysAreTheClassesAffair() throws {
    let context = try context()
    let recipe = Recipe(title: "Soup", context: context)
    #expect(recipe.value(forKey: "shoutedTitle") as? String == "SOUP")
    recipe.setValue("stew", forKey: "shoutedTitle")
    #expect(recipe.title == "stew")
  }

  @Test func keyPathsHaveOperators() throws {
    let context = try Company.context()
    let acme = insert(CompanyMO.self, "Company", context)
    acme.name = "Acme"
    for (name, age) in [("a", 10), ("b", 20), ("b", 60)] {
      let person = insert(PersonMO.self, "Person", context)
      (person.name, person.age, person.employer) = (name, Int16(age), acme)
    }
    let names = acme.value(forKeyPath: "staff.name") as? NSSet
    #expect(names == NSSet(array: ["a", "b"]))
    #expect(acme.value(forKeyPath: "staff.@count") as? Int == 3)
    #expect(acme.value(forKeyPath: "staff.@sum.age") as? Int == 90)
    #expect(acme.value(forKeyPath: "staff.@avg.age") as? Int == 30)
    #expect(acme.value(forKeyPath: "staff.@min.age") as? Int == 10)
    #expect(acme.value(forKeyPath: "staff.@max.age") as? Int == 60)
    #expect((acme.value(forKeyPath: "staff.@unionOfObjects.name") as? [Any])?.count == 3)
    #expect((acme.value(forKeyPath: "staff.@distinctUnionOfObjects.name") as? NSSet)?.count == 2)
    let person = try #require(acme.staff.first)
    #expect(person.value(forKeyPath: "employer.name") as? String == "Acme")
    person.setValue("Emca", forKeyPath: "employer.name")
    #expect(acme.name == "Emca")
  }

  @Test func orderedSetsAreChangedInPlace() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    let tasks = (0..<4).map { _ in insert(NSManagedObject.self, "Task", context) }
    let set = person.mutableOrderedSetValue(forKey: "tasks")
    set.add(tasks[1])
    set.insert(tasks[0], at: 0)
    set.add(tasks[1])
    #expect(person.tasks == [tasks[0], tasks[1]])
    #expect(tasks[0]["assignee"] as? PersonMO === person)
    #expect(set.count == 2)
    #expect(set.index(of: tasks[1]) == 1)
    #expect(set.contains(tasks[1]))
    #expect(!set.contains(tasks[2]))
    set.replaceObject(at: 0, with: tasks[3])
    #expect(tasks[0]["assignee"] == nil)
    set.exchangeObject(at: 0, withObjectAt: 1)
    #expect(person.tasks == [tasks[1], tasks[3]])
    #expect((0..<set.count).map { set.object(at: $0) as? NSManagedObject } == [tasks[1], tasks[3]])
    #expect(set.compactMap { $0 as? NSManagedObject } == [tasks[1], tasks[3]])
    set.removeObject(at: 0)
    set.remove(tasks[3])
    #expect(person.tasks.isEmpty)
    person.insertObject(tasks[2], intoRelationshipNamed: "tasks", at: 0)
    #expect(person.tasks == [tasks[2]])
  }

  @Test func requestsAreExecutedInTheContextThatIsRunning() throws {
    let context = try Company.container().newBackgroundContext()
    let found = try context.performAndWait {
      _ = insert(PersonMO.self, "Person", context)
      return try NSFetchRequest<PersonMO>(entityName: "Person").execute().count
    }
    #expect(found == 1)
  }

  @Test func committedAndChangedValues() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    person.name = "Ada"
    try context.save()
    person.name = "Eve"
    context.processPendingChanges()
    person.age = 20
    #expect(person.changedValues().keys.sorted() == ["age", "name"])
    #expect(person.changedValuesForCurrentEvent().keys.sorted() == ["age"])
    #expect(person.committedValues(forKeys: ["name"])["name"] as? String == "Ada")
    #expect(person.committedValues(forKeys: ["photo"])["photo"] is NSNull)
    person.name = "Ada"
    person.age = 18
    #expect(person.hasChanges)
    #expect(!person.hasPersistentChangedValues)
  }
}

/// A class in the style of tutorials: initializers, accessors, request and validation.
class Recipe: NSManagedObject {
  static let model: NSManagedObjectModel = {
    let entity = entity("Recipe", class: "Recipe")
    let stars = attribute("stars", .integer16AttributeType, optional: false, default: 1)
    stars.setValidationPredicates(
      [NSPredicate(format: "SELF >= 1")],
      withValidationWarnings: ["there are no recipes without stars"])
    entity.properties = [attribute("title", .stringAttributeType), stars]
    return NSManagedObjectModel(of: [entity])
  }()

  @Managed var title: String?
  var made = 0

  override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    super.init(entity: entity, insertInto: context)
    made += 1
  }

  convenience init(title: String, context: NSManagedObjectContext) {
    self.init(context: context)
    self.title = title
  }

  var rating: Int16 {
    get {
      willAccessValue(forKey: "stars")
      defer { didAccessValue(forKey: "stars") }
      return primitiveValue(forKey: "stars") as? Int16 ?? 0
    }
    set {
      willChangeValue(forKey: "stars")
      defer { didChangeValue(forKey: "stars") }
      setPrimitiveValue(min(newValue, 5), forKey: "stars")
    }
  }

  override class var validatesEachValue: Bool { true }

  override func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
  ) throws {
    try super.validateValue(value, forKey: key)
    guard key == "title", let title = value.pointee.flatMap({ $0 as Any as? String }) else {
      return
    }
    if title == "bad" { throw NSError(domain: "Recipes", code: 1) }
    let trimmed = title.trimmingCharacters(in: .whitespaces)
    if trimmed != title { value.pointee = trimmed as NSString }
  }

  override func value(forUndefinedKey key: String) -> Any? {
    key == "shoutedTitle" ? title?.uppercased() : super.value(forUndefinedKey: key)
  }

  override func setValue(_ value: Any?, forUndefinedKey key: String) {
    guard key == "shoutedTitle" else { return super.setValue(value, forUndefinedKey: key) }
    title = value as? String
  }
}

extension Recipe {
  @nonobjc class func fetchRequest() -> NSFetchRequest<Recipe> {
    NSFetchRequest<Recipe>(entityName: "Recipe")
  }
}
