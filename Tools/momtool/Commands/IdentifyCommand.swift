import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import ModelEvolution

/// `momtool identify`: finds the model with which a store was created.
struct IdentifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identify",
    abstract: "Finds the model with which a store was created.",
    discussion: """
      The hashes in the store's metadata are compared with those of every version of every model. If \
      none matches, the closest is shown with the entities that differ, and why: by comparison with \
      the store's copy of its model or, without one, by searching for a single edit that results in \
      the store's hash.

      EXAMPLES
        momtool identify Shop.sqlite Shop.momd
        momtool identify Shop.sqlite git:v1.2:Shop.xcdatamodeld Shop.xcdatamodeld

      The exit status is 1 if the store wasn't created with any of the models.
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: ArgumentHelp("Models to compare with.", valueName: "model"), completion: .file())
  var models: [String]

  @OptionGroup var report: ReportOptions

  func run() throws {
    let url = URL(fileURLWithPath: store)
    let (hashes, cached) = try InputReader.reported(store) {
      guard SQLiteImage.kind(of: url) == nil else {
        return (try SQLiteImage.entityHashes(of: url), NSManagedObjectModel?.none)
      }
      let file = try StoreFile(at: store)
      // Without the cached model, the hashes still identify the version.
      return (file.metadata.entityHashes, try? file.cachedModel())
    }
    let candidates = try models.flatMap { path in
      let input = try HistoryInput.required(path, reading: .readable)
      return input.history.versions.map { version in
        (
          name: input.history.versions.count > 1 && !input.isSingle
            ? "\(path)@\(version.name)" : path, model: version.model,
          isChosen: !input.isSingle
            || version.name == input.selected?.name
        )
      }.filter(\.isChosen).map { (name: $0.name, model: $0.model) }
    }
    let identification = StoreIdentification(
      entityHashes: hashes, cachedModel: cached, candidates: candidates)
    try report.write([IdentificationReport(identification, store: store)])
    if identification.exact.isEmpty { throw ExitStatus.findings }
  }
}
