import ArgumentParser
import Foundation
import MomKitPostgreSQL

/// Compares stores in PostgreSQL with the same work done with libpq, alternately in one process.
///
/// Both sides use tables of the same definition, which MomKit creates, in one server, and create the same Swift values
/// for every row. libpq's side may use pipelines, `COPY` and arrays wherever a program in C would.
@main
struct SpeedBenchmark: ParsableCommand {
  /// What a cost may grow with.
  enum Growth: String, ExpressibleByArgument {
    case rows, clients, history
  }

  @Option(help: "The number of rows.") var rows = 100_000
  @Option(help: "The number of rounds, of which the medians are printed.") var rounds = 3
  @Option(help: "Measure how costs grow with rows (10,000 to --rows), clients or history.")
  var growth: Growth?
  @Option(parsing: .upToNextOption, help: "The kinds of work to print; all otherwise.")
  var only: [String] = []
  @Flag(help: "Print one JSON object for each line.") var json = false

  func run() throws {
    guard let server = ProcessInfo.processInfo.environment["MOMKIT_POSTGRESQL"] else {
      throw ValidationError("MOMKIT_POSTGRESQL must be a server's URL.")
    }
    PostgreSQLStore.register()
    switch growth {
    case nil: try print(SpeedRounds(server: server, rows: rows, rounds: rounds, only: only).run())
    case .rows:
      var count = 10_000
      while count <= rows {
        try print(SpeedRounds(server: server, rows: count, rounds: rounds, only: only).run())
        count *= 10
      }
    case .clients: try print(ClientGrowth(server: server, rounds: rounds).run())
    case .history: try print(HistoryGrowth(server: server, rows: rows).run())
    }
  }

  private func print(_ lines: [SpeedTable.Line]) throws {
    try SpeedTable.print(lines, asJSON: json)
  }
}
