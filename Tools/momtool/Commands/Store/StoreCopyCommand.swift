import ArgumentParser
import DataModels
import Foundation
import ManagedObjects

/// `momtool store copy`: copies a store, also to and from PostgreSQL, with a program of its own that needs libpq.
struct StoreCopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copies a store, also between SQLite and PostgreSQL.",
    discussion: """
      Objects keep their keys and the copy the store's identifier, so the URIs of objects lead to the \
      same objects in both. After copying, the counts and checksums of all rows and relationships are \
      compared; a copy that is interrupted or differs leaves nothing behind, so it can simply be made \
      again. The place of the copy must be new.

      A copy of a SQLite file is exact. Between SQLite and PostgreSQL, everything is copied but the \
      persistent history. An XML or binary store is copied to SQLite.

      PostgreSQL stores are given by URL, and handled by a separate program, momtool-postgresql: next \
      to this tool, on the PATH, or built in MomKit's checkout (with libpq-dev) with

        swift build --package-path Tools/Engines/PostgreSQL --product momtool-postgresql

      Give passwords by PGPASSWORD or .pgpass rather than in URLs, which others can see in the list of \
      processes.

      EXAMPLES
        momtool store copy Shop.sqlite Backup.sqlite
        momtool store copy Shop.sqlite 'postgresql://shop@db.example.com/shop?schema=shop'
        momtool store copy 'postgresql://shop@db.example.com/shop?schema=shop' Shop.sqlite
      """)

  @Argument(
    help: ArgumentHelp("The store: a file, or the URL of a PostgreSQL store.", valueName: "store"))
  var store: String

  @Argument(help: ArgumentHelp("The place of the copy: a new file, or a URL.", valueName: "copy"))
  var copy: String

  @Option(
    help: ArgumentHelp(
      "The store's model, if the store has no copy of it: a .mom, .momd or source; for PostgreSQL, a "
        + ".mom.",
      valueName: "model"))
  var model: String?

  func validate() throws {
    for place in [store, copy] where !Self.isURL(place) { try StoreInput.checkName(place) }
  }

  func run() throws {
    guard Self.isURL(store) || Self.isURL(copy) else { return try copyFile() }
    try PartnerProgram(name: "momtool-postgresql", package: "Tools/Engines/PostgreSQL").replaceThis(
      arguments: ["copy", store, copy] + (model.map { ["--model", $0] } ?? []))
  }

  private static func isURL(_ place: String) -> Bool {
    place.hasPrefix("postgresql://") || place.hasPrefix("postgres://")
  }

  private func copyFile() throws {
    try NewFile.check(copy)
    let input = try StoreInput(store: store, model: model).opened()
    // Whatever it contains, it is a store.
    _ = try input.storeFile()
    let counts = try withExtendedLifetime(input) {
      try NewFile.make(copy) { try SQLiteFileCopy.make(at: $0, of: input.file) }
    }
    try StandardOutput.write(
      TextRows.aligned(counts.map { [$0.table, "\($0.count)"] })
        + "counts and checksums are equal\n")
  }
}
