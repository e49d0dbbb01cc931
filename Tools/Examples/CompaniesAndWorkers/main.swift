// Companies hire, exchange and dismiss workers. The model consists of descriptions that the classes provide
// themselves.

import ExampleSupport
import MomKit

let run = ExampleRun()

func makeModel() -> NSManagedObjectModel {
  // The order doesn't matter: each description is created on first use.
  let (company, worker) = (CompanyMO.workersRelationship, WorkerMO.companyRelationship)
  company.inverseRelationship = worker
  worker.inverseRelationship = company
  WorkerMO.entityDescription.addProperty(worker)
  CompanyMO.entityDescription.addProperty(company)
  let model = NSManagedObjectModel()
  model.entities = [WorkerMO.entityDescription, CompanyMO.entityDescription]
  return model
}

let model = makeModel()
run.expect(
  model.entitiesByName["CompanyMO"]?.relationshipsByName["workers"]?.inverseRelationship
    === model.entitiesByName["WorkerMO"]?.relationshipsByName["company"],
  "the relationships are each other's inverse")

let container = NSPersistentContainer(name: "CyrmaxModel", managedObjectModel: model)
container.persistentStoreDescriptions = [
  NSPersistentStoreDescription(url: run.folder.appendingPathComponent("CyrmaxModel.sqlite"))
]
container.loadPersistentStores { _, error in
  run.expect(error == nil, "the store opens")
}
let context = container.viewContext

func hire(_ firstname: String, _ lastname: String, at company: CompanyMO?) -> WorkerMO {
  let worker = WorkerMO(context: context)
  worker.firstname = firstname
  worker.lastname = lastname
  worker.company = company
  return worker
}

func lastNames(at company: CompanyMO) throws -> [String?] {
  let request = NSFetchRequest<WorkerMO>(entityName: "WorkerMO")
  request.predicate = NSPredicate(format: "company == %@", company)
  request.sortDescriptors = [NSSortDescriptor(key: "lastname", ascending: true)]
  return try context.fetch(request).map(\.lastname)
}

run.attempt("companies and workers") {
  run.say("Two companies; the first hires three workers.")
  let (cyrmax, other) = (CompanyMO(context: context), CompanyMO(context: context))
  cyrmax.companyName = "Cyrmax"
  other.companyName = "Other"
  let konrad = hire("Konrad", "Zuse", at: cyrmax)
  let ada = hire("Ada", "Lovelace", at: cyrmax)
  _ = hire("Charles", "Babbage", at: cyrmax)
  try context.save()
  run.expect(cyrmax.workers.count == 3, "the company knows its workers")
  run.expect(
    try lastNames(at: cyrmax) == ["Babbage", "Lovelace", "Zuse"], "they are fetched in order")

  run.say("One moves, one is dismissed.")
  other.workers.insert(ada)
  konrad.company = nil
  try context.save()
  run.expect(ada.company === other, "Ada works for the other company")
  run.expect(try lastNames(at: cyrmax) == ["Babbage"], "the first has one worker left")
  let request = NSFetchRequest<CompanyMO>(entityName: "CompanyMO")
  request.predicate = NSPredicate(format: "ANY workers.lastname BEGINSWITH[c] %@", "love")
  run.expect(
    try context.fetch(request).map(\.companyName) == ["Other"], "and is found by a worker's name")

  run.say("A company is deleted.")
  context.delete(cyrmax)
  try context.save()
  request.predicate = nil
  run.expect(try context.count(for: request) == 1, "one company is left")
  let workers = NSFetchRequest<WorkerMO>(entityName: "WorkerMO")
  run.expect(try context.count(for: workers) == 3, "its workers stay")
  workers.predicate = NSPredicate(format: "company == nil")
  run.expect(try context.count(for: workers) == 2, "without a company")
}
run.finish()
