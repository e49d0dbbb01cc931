import Foundation
import TestSupport
import Testing

/// A program that contains the Swift libraries instead of loading them, as `--static-swift-stdlib` links it.
///
/// Foundation's bridge from `NSSet` to `Set` is linked into such a program only if something in it makes that cast.
/// MomKit does, or `value(forKey:) as? Set<…>` would be nil throughout the program.
@Suite struct StaticProgramTests {
  private static let source = """
    import Foundation
    import MomKit

    let company = NSEntityDescription(), worker = NSEntityDescription()
    (company.name, worker.name) = ("Company", "Worker")
    let workers = NSRelationshipDescription(), employer = NSRelationshipDescription()
    (workers.name, workers.destinationEntity, workers.maxCount) = ("workers", worker, 0)
    (employer.name, employer.destinationEntity, employer.maxCount) = ("employer", company, 1)
    (workers.inverseRelationship, employer.inverseRelationship) = (employer, workers)
    (company.properties, worker.properties) = ([workers], [employer])
    let model = NSManagedObjectModel()
    model.entities = [company, worker]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    context.performAndWait {
      let object = NSEntityDescription.insertNewObject(forEntityName: "Company", into: context)
      let member = NSEntityDescription.insertNewObject(forEntityName: "Worker", into: context)
      member.setValue(object, forKey: "employer")
      print((object.value(forKey: "workers") as? Set<NSManagedObject>)?.count ?? -1)
    }
    """

  private static let modules = [
    "MomKit", "ManagedObjects", "DataModels", "ModelEvolution", "PropertyLists", "PredicateFormat",
    "OrderedCollections", "InternalCollectionsUtilities",
  ]

  @Test func `to-many values are sets in a program with static libraries`() throws {
    try Tool.withTemporaryFolder { folder in
      let source = folder.appendingPathComponent("main.swift")
      let library = folder.appendingPathComponent("libMomKit.a")
      let program = folder.appendingPathComponent("program")
      try Data(Self.source.utf8).write(to: source)
      try build("ar", ["qcs", library.path] + objectFiles())
      let headers = ["CSQLite", "CZlib"].flatMap { name in
        let map = Corpus.packageRoot.appendingPathComponent("Sources/\(name)/module.modulemap")
        return ["-Xcc", "-fmodule-map-file=\(map.path)"]
      }
      try build(
        "swiftc",
        [
          "-static-stdlib", source.path, "-o", program.path,
          "-I", products.appendingPathComponent("Modules").path,
          "-module-cache-path", products.appendingPathComponent("ModuleCache").path,
        ] + headers + [library.path, "-lsqlite3", "-lz"])
      let outcome = try Tool.run(program, arguments: [], in: nil)
      #expect(outcome.text == "1\n", "\(outcome.errors)")
    }
  }

  private var products: URL { Tool.url.deletingLastPathComponent() }

  /// What the build has compiled of MomKit's modules.
  private func objectFiles() throws -> [String] {
    try Self.modules.flatMap { module in
      let folder = products.appendingPathComponent("\(module).build")
      return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        .filter { $0.hasSuffix(".o") }.map { folder.appendingPathComponent($0).path }
    }
  }

  private func build(_ tool: String, _ arguments: [String]) throws {
    let outcome = try Tool.run(
      URL(fileURLWithPath: "/usr/bin/env"), arguments: [tool] + arguments, in: nil)
    try #require(outcome.status == 0, "\(tool): \(outcome.text)\(outcome.errors)")
  }
}
