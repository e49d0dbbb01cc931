import ArgumentParser
import DataModels
import Foundation
import ManagedObjects

/// `momtool store info`: says what a store is and how much is in it.
struct StoreInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Says what a store is: its identifier, model, framework, entities and row counts.")

  @OptionGroup var input: StoreInput

  func run() throws {
    let file = try StoreFile(at: input.store)
    let metadata = file.metadata
    var lines = [
      "store        \(input.store)", "identifier   \(metadata.identifier ?? "none")",
      "type         \(metadata.storeType ?? "unknown")",
      "framework    \(metadata.frameworkVersion.map(String.init) ?? "unknown")",
      "versions     \(metadata.versionIdentifiers.joined(separator: ", "))",
      "model cache  \(file.compressedModel == nil ? "no" : "yes")",
    ]
    if let checksum = metadata.checksum { lines.append("checksum     \(checksum)") }
    let context = try input.openContext()
    let entities = context.persistentStoreCoordinator?.managedObjectModel.entities ?? []
    let names = entities.compactMap(\.name).sorted()
    lines.append("")
    let rows = try names.map { name in
      let request = NSFetchRequest<NSManagedObject>(entityName: name)
      request.includesSubentities = false
      return [name, "\(try context.count(for: request))"]
    }
    try StandardOutput.write(lines.joined(separator: "\n") + "\n" + TextRows.aligned(rows))
  }
}
