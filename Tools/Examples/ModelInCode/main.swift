// A package without a model file: the model is created in code and passed to the container.

import ExampleSupport
import ModelSource
import MomKit

let run = ExampleRun()
let storeURL = run.folder.appendingPathComponent("ExampleModel.sqlite")

#if canImport(ObjectiveC)
  @objc(ExampleEntiry)
#endif
final class ExampleEntiry: NSManagedObject {
  @Managed var name: String?
  @Managed var date: Date?
}

/// Uses the newer names of attribute types, or the older ones.
func makeModel(olderNames: Bool = false, dateIsOptional: Bool = false) -> NSManagedObjectModel {
  let entity = NSEntityDescription()
  entity.name = "ExampleEntiry"
  entity.managedObjectClassName = "ExampleEntiry"

  let name = NSAttributeDescription()
  name.name = "name"
  if olderNames { name.attributeType = .stringAttributeType } else { name.type = .string }
  name.isOptional = true

  let date = NSAttributeDescription()
  date.name = "date"
  if olderNames { date.attributeType = .dateAttributeType } else { date.type = .date }
  date.isOptional = dateIsOptional

  entity.properties = [name, date]
  let model = NSManagedObjectModel()
  model.entities = [entity]
  return model
}

func makeContainer() -> NSPersistentContainer {
  let container = NSPersistentContainer(name: "ExampleModel", managedObjectModel: makeModel())
  container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: storeURL)]
  container.loadPersistentStores { description, error in
    run.expect(error == nil, "\(description.url?.lastPathComponent ?? "the store") opens")
  }
  return container
}

let source = """
  <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
  <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="ExampleEntiry" representedClassName="ExampleEntiry" syncable="YES">
          <attribute name="date" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
          <attribute name="name" optional="YES" attributeType="String"/>
      </entity>
  </model>
  """

let moment = Date(timeIntervalSinceReferenceDate: 700_000_000.25)

run.say("An object is inserted and saved.")
run.attempt("saving") {
  let container = makeContainer()
  let object = ExampleEntiry(context: container.viewContext)
  object.name = "first"
  object.date = moment
  try container.viewContext.save()
}

run.say("The store is opened again.")
run.attempt("fetching") {
  // Objects belong to a context, so the container is kept as long as they are in use.
  let container = makeContainer()
  let request = NSFetchRequest<ExampleEntiry>(entityName: "ExampleEntiry")
  let found = try container.viewContext.fetch(request)
  run.expect(found.map(\.name) == ["first"], "the object is there")
  run.expect(found.first?.date == moment, "with its date, to the fraction of a second")
}

run.say("The same model is read from its XML source.")
run.attempt("reading the source") {
  let read = try SourceModel(data: Data(source.utf8), path: "contents").model
  run.expect(makeModel(olderNames: true) == makeModel(), "both spellings of types are one model")
  run.expect(read != makeModel(), "a required date makes another model")
  run.expect(
    read.versionChecksum != makeModel().versionChecksum, "with other version hashes")
  let agreeing = makeModel(dateIsOptional: true)
  run.expect(read == agreeing, "once they agree on what is optional, the models are equal")
  run.expect(
    read.entityVersionHashesByName == agreeing.entityVersionHashesByName,
    "and so are their version hashes")
}
run.finish()
