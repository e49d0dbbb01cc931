import ArgumentParser
import DataModels
import Foundation
import ManagedObjects

/// `momtool store create`: creates an empty store.
struct StoreCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Creates an empty store for a model.")

  @Argument(help: ArgumentHelp("The model.", valueName: "model"), completion: .file())
  var model: String

  @Argument(help: ArgumentHelp("The store to create; it must not exist.", valueName: "file"))
  var file: String

  func run() throws {
    try NewFile.check(file)
    let model = try InputReader.model(at: model)
    try NewFile.make(file) { url in
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url)
      try coordinator.remove(store)
    }
  }
}
