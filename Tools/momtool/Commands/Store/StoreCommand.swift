import ArgumentParser

/// `momtool store`: inspects and creates SQLite stores.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Inspects, creates and migrates Core Data's SQLite stores.",
    discussion: """
      All commands except create and migrate open stores read-only: neither the store nor its folder \
      is changed, not even by a -shm file. Content that is still in a -wal file is included.

      EXAMPLES
        momtool store info Shop.sqlite
        momtool store fetch Shop.sqlite Order --where 'total > 100' --sort -date --limit 10
        momtool store schema Shop.momd
        momtool store create Shop.momd New.sqlite
        momtool store copy Shop.sqlite Backup.sqlite
        momtool store migrate Shop.sqlite --to Shop.momd --dry-run
        momtool store check Shop.sqlite
        momtool store export Shop.sqlite --format csv --output Shop-tables
        momtool store history Shop.sqlite --limit 10
        momtool store views Shop.sqlite --output Shop-views.sqlite
      """,
    subcommands: [
      StoreInfoCommand.self, StoreSchemaCommand.self, StoreFetchCommand.self,
      StoreCreateCommand.self, StoreMigrateCommand.self, StoreCheckCommand.self,
      StoreCopyCommand.self, StoreExportCommand.self, StoreHistoryCommand.self,
      StoreViewsCommand.self,
    ])
}
