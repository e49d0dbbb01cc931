// A cache of downloads: small files are stored in the database, large ones in external files.

import ExampleSupport
import MomKit

let run = ExampleRun()
let storeURL = run.folder.appendingPathComponent("Cache.sqlite")
let externalFolder = run.folder.appendingPathComponent(".Cache_SUPPORT/_EXTERNAL_DATA")

func makeContext(_ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  do {
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: nil)
  } catch let error as NSError
    where error.code == NSPersistentStoreIncompatibleVersionHashError
    || error.code == NSMigrationMissingSourceModelError
  {
    // A cache can be discarded if an older version of the program left it.
    run.say("the store is of another version (error \(error.code)): it is removed and made anew")
    try coordinator.destroyPersistentStore(at: storeURL, ofType: NSSQLiteStoreType)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: nil)
  }
  let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  context.persistentStoreCoordinator = coordinator
  return context
}

func store(_ data: Data, from url: String, in context: NSManagedObjectContext) -> DTCachedFile {
  let file = DTCachedFile(context: context)
  file.remoteURL = url
  file.fileData = data
  file.fileSize = Int32(data.count)
  file.lastAccessDate = Date()
  file.expirationDate = Date(timeIntervalSinceNow: 3600)
  file.contentType = "application/octet-stream"
  return file
}

func externalFiles() -> [String] {
  (try? FileManager.default.contentsOfDirectory(atPath: externalFolder.path)) ?? []
}

func cachedFile(from url: String, in context: NSManagedObjectContext) throws -> DTCachedFile? {
  let request = NSFetchRequest<DTCachedFile>(entityName: "DTCachedFile")
  request.predicate = NSPredicate(format: "remoteURL == %@", url)
  request.fetchLimit = 1
  return try context.fetch(request).first
}

if run.part == "changing a model in use" {
  let model = CacheModel.make()
  _ = NSPersistentStoreCoordinator(managedObjectModel: model)
  model.entities[0].name = "CachedFile"
  run.finish()
}

let (small, large) = (Data(repeating: 1, count: 1000), Data(repeating: 2, count: 300_000))
let model = CacheModel.make()
model.entities[0].userInfo = ["note": "before its first use every setter of a model works"]

run.say("A small and a large file are cached.")
run.attempt("saving") {
  let context = try makeContext(model)
  try context.performAndWait {
    _ = store(small, from: "https://example.org/small", in: context)
    _ = store(large, from: "https://example.org/large", in: context)
    try context.save()
  }
}
run.expect(externalFiles().count == 1, "one file lies beside the store")
run.expect(
  externalFiles().allSatisfy { UUID(uuidString: $0) != nil }, "its name is a UUID")

run.say("The program starts again.")
run.attempt("reading") {
  let context = try makeContext(CacheModel.make())
  try context.performAndWait {
    let found = try cachedFile(from: "https://example.org/large", in: context)
    run.expect(found?.fileData == large, "the large file comes back")
    let other = try cachedFile(from: "https://example.org/small", in: context)
    run.expect(other?.fileData == small, "the small one too")
    if let found { context.delete(found) }
    try context.save()
    run.expect(externalFiles().isEmpty, "its file goes when its row goes")
  }
}

run.say("A new version of the program has another model.")
run.attempt("the second version") {
  let context = try makeContext(CacheModel.make(withHosts: true))
  try context.performAndWait {
    let count = try context.count(for: NSFetchRequest<DTCachedFile>(entityName: "DTCachedFile"))
    run.expect(count == 0, "the new store is empty")
    let host = Host(context: context)
    host.name = "example.org"
    for number in 1...3 {
      let file = store(large, from: "https://example.org/\(number)", in: context)
      file.host = host
    }
    try context.save()
    run.expect(host.files.count == 3 && externalFiles().count == 3, "a host has three files")
    context.delete(host)
    try context.save()
    let left = try context.count(for: NSFetchRequest<DTCachedFile>(entityName: "DTCachedFile"))
    run.expect(left == 0 && externalFiles().isEmpty, "deleting the host deletes all of them")
  }
}

run.say("A later version migrates the store; every file is kept.")
run.attempt("migrating") {
  let urls = (1...3).map { "https://example.org/kept/\($0)" }
  let before = try makeContext(CacheModel.make(withHosts: true))
  try before.performAndWait {
    for url in urls { _ = store(large, from: url, in: before) }
    try before.save()
  }
  for store in before.persistentStoreCoordinator?.persistentStores ?? [] {
    try before.persistentStoreCoordinator?.remove(store)
  }
  let names = externalFiles().sorted()
  let coordinator = NSPersistentStoreCoordinator(
    managedObjectModel: CacheModel.make(withHosts: true, withRatings: true))
  try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL,
    options: [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ])
  let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  context.persistentStoreCoordinator = coordinator
  try context.performAndWait {
    let kept = try urls.compactMap { try cachedFile(from: $0, in: context) }
    run.expect(kept.count == 3, "the rows are there")
    run.expect(kept.allSatisfy { $0.fileData == large }, "with the contents of their files")
    run.expect(
      names.count == 3 && externalFiles().sorted() == names, "which are the same files as before")
    kept.first?.setValue(5, forKey: "rating")
    try context.save()
  }
}

run.say("The model is changed after its first use.")
let message = run.deathMessage(of: "changing a model in use")
run.expect(message.contains("setName:"), "the program stops with a message that names the setter")
run.finish()
