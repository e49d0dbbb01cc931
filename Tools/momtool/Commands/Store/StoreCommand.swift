import ArgumentParser

/// `momtool store`: inspects and creates SQLite stores.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Looks into Core Data's SQLite stores, and lays them out.",
    discussion: """
      A store is opened for reading only, by all but create and migrate: neither it nor its folder \
      is changed, not even by a -shm file. Content that still waits in a -wal file is seen.

      EXAMPLES
        momtool store info Shop.sqlite
        momtool store fetch Shop.sqlite Order --where 'total > 100' --sort -date --limit 10
        momtool store schema Shop.momd
        momtool store create Shop.momd New.sqlite
        momtool store migrate Shop.sqlite --to Shop.momd --dry-run
        momtool store check Shop.sqlite
        momtool store export Shop.sqlite --format csv --output Shop-tables
        momtool store history Shop.sqlite --limit 10
        momtool store views Shop.sqlite --output Shop-views.sqlite
      """,
    subcommands: [
      StoreInfoCommand.self, StoreSchemaCommand.self, StoreFetchCommand.self,
      StoreCreateCommand.self, StoreMigrateCommand.self, StoreCheckCommand.self,
      StoreExportCommand.self, StoreHistoryCommand.self, StoreViewsCommand.self,
    ])
}
