import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import ModelEvolution

/// `momtool store migrate`: brings a store to another version of its model.
struct StoreMigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Brings a store to another version of its model.",
    discussion: """
      The store is migrated where it is: all of it, or, when anything fails, nothing. With --output a \
      copy is migrated and the store is left alone. A mapping is inferred unless one is given; what a \
      mapping's policy classes would do can't be done here.

      EXAMPLES
        momtool store migrate Shop.sqlite --to Shop.momd --dry-run
        momtool store migrate Shop.sqlite --to Shop.momd
        momtool store migrate Shop.sqlite --to New.mom --mapping OldToNew.cdm --output New.sqlite

      Exit status 1 says that the store can't be migrated.
      """)

  @OptionGroup var input: StoreInput

  @Option(
    help: ArgumentHelp(
      "The model to come to; of a bundle the current version.", valueName: "model"),
    completion: .file())
  var to: String

  @Option(
    help: ArgumentHelp("A compiled mapping model.", valueName: "file.cdm"),
    completion: .file(extensions: ["cdm"]))
  var mapping: String?

  @Option(
    help: ArgumentHelp("Migrate a copy, which must not be there.", valueName: "copy"),
    completion: .file())
  var output: String?

  @Flag(help: "Say what would happen, and try it on a copy that is thrown away.")
  var dryRun = false

  @OptionGroup var colors: ColorOptions

  func run() throws {
    let source = try input.loadModel()
    let target = try InputReader.model(at: to)
    let verdict = MigrationVerdict(from: source, to: target)
    if dryRun {
      let report = MigrationReport(verdict, from: input.store, to: to)
      try StandardOutput.write(report.text(paint: TerminalPaint.report(isOn: colors.isOn)))
    }
    guard verdict.outcome != .notNeeded || output != nil else {
      if !dryRun { try StandardOutput.write("the store has this version already\n") }
      return
    }
    if dryRun {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "momtool-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let copy = folder.appendingPathComponent("store.sqlite")
      try migrate(try copied(to: copy, target), from: source, to: target)
    } else if let output {
      guard !FileManager.default.fileExists(atPath: output) else {
        throw ModelFileError(.unwritable, "there is a file already", path: output)
      }
      let copy = try copied(to: URL(fileURLWithPath: output), target)
      do { try migrate(copy, from: source, to: target) } catch {
        try? NSPersistentStoreCoordinator(managedObjectModel: target).destroyPersistentStore(
          at: copy, ofType: NSSQLiteStoreType)
        // A destroyed store stays as an empty file.
        try? FileManager.default.removeItem(at: copy)
        throw error
      }
    } else {
      try migrate(URL(fileURLWithPath: input.store), from: source, to: target)
    }
  }

  private func copied(to url: URL, _ model: NSManagedObjectModel) throws -> URL {
    try NSPersistentStoreCoordinator(managedObjectModel: model).replacePersistentStore(
      at: url, withPersistentStoreFrom: URL(fileURLWithPath: input.store),
      ofType: NSSQLiteStoreType)
    return url
  }

  /// Migrates a store, and says how many objects it has then.
  private func migrate(
    _ url: URL, from source: NSManagedObjectModel, to target: NSManagedObjectModel
  ) throws {
    var options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
      MomKitMigrationSourceModelOption: source,
    ]
    if let mapping {
      options[MomKitMigrationMappingModelOption] = try InputReader.reported(mapping) {
        try MappingArchive.decode(InputFile.bytes(at: mapping))
      }
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: target)
    do {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    } catch let error as NSError {
      Diagnostics.report(Diagnostic(Self.sentence(error), path: input.store))
      throw ExitStatus.findings
    }
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let names = target.entities.filter { !$0.isAbstract }.compactMap(\.name).sorted()
    let heading = dryRun ? "it would have these objects" : "migrated to \(target.versionChecksum)"
    let rows = try names.map { name in
      let request = NSFetchRequest<NSManagedObject>(entityName: name)
      request.includesSubentities = false
      return [name, "\(try context.count(for: request))"]
    }
    try StandardOutput.write(heading + "\n" + TextRows.aligned(rows))
  }

  private static func sentence(_ error: NSError) -> String {
    var text = error.localizedDescription
    if let entity = error.userInfo["entity"] as? String, !entity.isEmpty {
      let property =
        error.userInfo["attribute"] as? String ?? error.userInfo["relationship"] as? String
      text += " (\(entity)\(property.map { ".\($0)" } ?? ""))"
    }
    return "\(text) [\(error.code)]"
  }
}
