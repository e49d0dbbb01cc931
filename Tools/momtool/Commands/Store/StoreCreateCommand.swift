import ArgumentParser
import CompiledModel
import Foundation
import ManagedObjects

/// `momtool store create`: makes an empty store.
struct StoreCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Makes an empty store of a model.")

  @Argument(help: ArgumentHelp("The model.", valueName: "model"), completion: .file())
  var model: String

  @Argument(help: ArgumentHelp("The store, which must not be there.", valueName: "file"))
  var file: String

  func run() throws {
    guard !FileManager.default.fileExists(atPath: file) else {
      throw ModelFileError(.unwritable, "there is a file already", path: file)
    }
    var reader = InputReader()
    let models = reader.models(at: model, .current)
    try reader.finish()
    guard models.count == 1, let loaded = models.first else {
      throw ModelFileError(
        .noModel, "\(models.count) models are there; name one of them", path: model)
    }
    try NSPersistentStoreCoordinator(managedObjectModel: loaded.model).addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: file))
  }
}
