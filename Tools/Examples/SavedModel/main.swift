// A model that is created in code once, saved, and loaded on each launch.

import ExampleSupport
import MomKit

let run = ExampleRun()
let modelURL = run.folder.appendingPathComponent("db/AppDataModel.momd")
let storeURL = run.folder.appendingPathComponent("db/AppData.sqlite")

#if canImport(ObjectiveC)
  @objc(Coffee)
#endif
final class Coffee: NSManagedObject {
  @Managed var name: String?
  @Managed var brand: String?
  @Managed var rating: NSDecimalNumber?
}

// MARK: The model

func attribute(_ name: String, _ type: NSAttributeType, isOptional: Bool) -> NSAttributeDescription
{
  let attribute = NSAttributeDescription()
  attribute.name = name
  attribute.attributeType = type
  attribute.isOptional = isOptional
  return attribute
}

func makeModel() -> NSManagedObjectModel {
  let coffee = NSEntityDescription()
  coffee.name = "Coffee"
  coffee.managedObjectClassName = "Coffee"
  let name = attribute("name", .stringAttributeType, isOptional: false)
  let brand = attribute("brand", .stringAttributeType, isOptional: false)
  let rating = attribute("rating", .decimalAttributeType, isOptional: true)
  rating.defaultValue = NSDecimalNumber(value: 3)
  coffee.properties = [name, brand, rating]
  coffee.indexes = [name, brand].map { property in
    NSFetchIndexDescription(
      name: "by\(property.name.capitalized)",
      elements: [NSFetchIndexElementDescription(property: property, collationType: .binary)])
  }
  let model = NSManagedObjectModel()
  model.entities = [coffee]
  return model
}

/// Returns the saved model, or creates and saves it if none can be read.
func loadModel() throws -> (model: NSManagedObjectModel, wasMade: Bool) {
  if FileManager.default.fileExists(atPath: modelURL.path) {
    do {
      let data = try Data(contentsOf: modelURL)
      if let model = try NSKeyedUnarchiver.unarchivedObject(
        ofClass: NSManagedObjectModel.self, from: data)
      {
        return (model, false)
      }
    } catch {
      run.say("  the saved model can't be read: \(error)")
    }
  }
  let model = makeModel()
  let data = try NSKeyedArchiver.archivedData(
    withRootObject: model, requiringSecureCoding: true)
  try FileManager.default.createDirectory(
    at: modelURL.deletingLastPathComponent(), withIntermediateDirectories: true)
  try data.write(to: modelURL)
  return (model, true)
}

func makeContext(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
  let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
  context.persistentStoreCoordinator = coordinator
  context.retainsRegisteredObjects = true
  context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
  return context
}

// MARK: Starts

run.say("The first start.")
let (first, wasMade) = run.attempt("the first start") { try loadModel() }
run.expect(wasMade, "the model is made and saved")

run.say("The next start.")
let (loaded, wasMadeAgain) = run.attempt("the next start") { try loadModel() }
run.expect(!wasMadeAgain, "the model is loaded")
run.expect(loaded == first, "it is equal to the one that was saved")
run.expect(
  loaded.entityVersionHashesByName == first.entityVersionHashesByName,
  "its version hashes are equal")
run.expect(
  loaded.entitiesByName["Coffee"]?.attributesByName["rating"]?.defaultValue as? Decimal == 3,
  "the default value is there")
run.expect(NSManagedObjectModel(contentsOf: modelURL) == first, "init(contentsOf:) reads it too")

// MARK: Two contexts

run.say("Two contexts change the same coffee.")
run.attempt("a conflict") {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: loaded)
  try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: "PF_DEFAULT_CONFIGURATION_NAME", at: storeURL,
    options: nil)
  let (mine, theirs) = (makeContext(coordinator), makeContext(coordinator))
  let coffee = Coffee(context: mine)
  coffee.name = "Yirgacheffe"
  coffee.brand = "First"
  run.expect(coffee.rating == 3, "a new coffee has the default rating")
  try mine.save()

  let same = try theirs.existingObject(with: coffee.objectID) as? Coffee
  same?.brand = "Second"
  same?.rating = 4
  try theirs.save()
  coffee.rating = NSDecimalNumber(string: "4.75")
  try mine.save()

  let request = NSFetchRequest<Coffee>(entityName: "Coffee")
  request.predicate = NSPredicate(format: "rating > %@", NSDecimalNumber(value: 4))
  let fresh = makeContext(coordinator)
  let found = try fresh.fetch(request)
  run.expect(found.map(\.rating) == [NSDecimalNumber(string: "4.75")], "the object's rating wins")
  run.expect(found.map(\.brand) == ["Second"], "what only the store changed stays")
}

// MARK: More entities

run.say("A later version adds an entity.")
run.attempt("merging") {
  let roaster = NSEntityDescription()
  roaster.name = "Roaster"
  roaster.properties = [attribute("name", .stringAttributeType, isOptional: false)]
  let addition = NSManagedObjectModel()
  addition.entities = [roaster]
  let merged = NSManagedObjectModel(byMerging: [loaded, addition])
  run.expect(
    merged?.entities.compactMap(\.name).sorted() == ["Coffee", "Roaster"],
    "the saved model and the addition are merged")
}
let clash = run.error("two different entities of one name can't be merged") {
  let coffee = NSEntityDescription()
  coffee.name = "Coffee"
  coffee.properties = [attribute("name", .stringAttributeType, isOptional: true)]
  let other = NSManagedObjectModel()
  other.entities = [coffee]
  let saved = try NSManagedObjectModel(loading: modelURL.path)
  _ = try NSManagedObjectModel.merging([saved, other])
}
run.expect(
  "\(clash.map { "\($0)" } ?? "")".contains("AppDataModel.momd"),
  "the error names where the models are from")

// MARK: Damage

run.say("The saved model is damaged.")
run.attempt("damaging") {
  let whole = try Data(contentsOf: modelURL)
  for damaged in [whole.prefix(whole.count / 2), Data("no model".utf8), Data()] {
    try damaged.write(to: modelURL)
    let (model, wasMade) = try loadModel()
    run.expect(wasMade && model == first, "the model is made and saved anew")
  }
  run.expect(try Data(contentsOf: modelURL) == whole, "the same model makes the same bytes")
}
run.finish()
