import ArgumentParser
import CompiledModel
import Foundation
import ManagedModel
import ManagedObjects

/// A store that a command reads, with the model its rows are read by.
struct StoreInput: ParsableArguments {
  @Argument(help: ArgumentHelp("The SQLite store.", valueName: "store"), completion: .file())
  var store: String

  @Option(
    help: ArgumentHelp(
      "The store's model, where the store has no copy of it: a .mom, .momd or source.",
      valueName: "model"))
  var model: String?

  /// The store's model: the one given, or the store's own copy.
  func loadModel() throws -> NSManagedObjectModel {
    guard let model else {
      guard let cached = try StoreFile(at: store).cachedModel() else {
        throw ModelFileError(
          .noModel, "the store has no copy of its model; name the model with --model",
          path: store)
      }
      return cached
    }
    var reader = InputReader()
    let metadata = try StoreFile(at: store).metadata
    let models = reader.models(at: model, .all).map(\.model)
    try reader.finish()
    let matching = models.first { $0.entityVersionHashesByName == metadata.entityHashes }
    guard let found = matching else {
      throw ModelFileError(
        .noMatchingVersion, "no version of the model has the store's version hashes", path: model)
    }
    return found
  }

  /// A context on the store, which is opened for reading.
  func openContext() throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try loadModel())
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: store),
      options: [NSReadOnlyPersistentStoreOption: true])
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }
}
