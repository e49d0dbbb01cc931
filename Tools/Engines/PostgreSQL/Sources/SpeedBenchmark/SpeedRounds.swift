import Foundation
import MomKitPostgreSQL

/// Runs every kind of work on both sides, alternately, in tables of the same definition.
///
/// Whatever a program would already have (the keys of rows to fetch, the rows to update) is prepared before the clock
/// starts, on both sides.
struct SpeedRounds {
  let server: String
  let rows: Int
  let rounds: Int
  /// The kinds to run with the clock, or all if empty. The others run too, since later kinds need their rows.
  let only: [String]

  func run() throws -> [SpeedTable.Line] {
    var table = SpeedTable(rows: rows)
    for round in 0..<rounds { try run(round, &table) }
    return table.lines.filter { only.isEmpty || only.contains($0.work) }
  }

  private func run(_ round: Int, _ table: inout SpeedTable) throws {
    let schemas = ["objects\(round)", "twin\(round)"]
    let objects = try ObjectWork(url: Self.url(server, schemas[0]), rows: rows)
    // MomKit creates the twin's tables, too.
    try ObjectWork(url: Self.url(server, schemas[1]), rows: rows).close()
    let twin = try TwinWork(url: server, schema: schemas[1], rows: rows)
    func measure(
      _ name: String, _ twinWork: () throws -> Int, _ objectWork: () throws -> Int
    ) throws {
      var counts: [Int] = []
      func twinRun() throws -> SpeedTable.Run {
        try Self.measure(trips: { twin.connection.roundTrips }) { counts.append(try twinWork()) }
      }
      func objectRun() throws -> SpeedTable.Run {
        try Self.measure(trips: { try PostgreSQLStore.roundTrips(at: objects.url) }) {
          counts.append(try objectWork())
        }
      }
      // Who is first changes from round to round: the second finds the server's caches warm.
      if round % 2 == 0 {
        let run = try twinRun()
        table.add(name, objects: try objectRun(), twin: run)
      } else {
        let run = try objectRun()
        table.add(name, objects: run, twin: try twinRun())
      }
      precondition(counts[0] == counts[1], "\(name): \(counts)")
    }
    try measure("insert", twin.insert, objects.insert)
    try measure("fetch all", twin.fetchAll, objects.fetchAll)
    let identities = objects.identities()
    try measure("by key", twin.byKey) { try objects.byKey(identities) }
    let uris = objects.uris()
    try measure("by URI", twin.byKey) { try objects.byURI(uris) }
    try measure("by keys, at once", twin.byKeys) { try objects.byKeys(identities) }
    try measure("by index", twin.byIndex, objects.byIndex)
    var (twinRows, people) = (try twin.everybody(), try objects.everybody())
    try measure("update all", { try twin.update(twinRows) }, { try objects.update(people) })
    try measure("fetch and update", twin.fetchAndUpdate, objects.fetchAndUpdate)
    try measure("graph insert", twin.graphInsert, objects.graphInsert)
    try measure("graph, two queries", twin.graphLoad, objects.graphLoad)
    try measure("graph, by faults", twin.graphFault, objects.graphFault)
    try measure("dictionaries", twin.dictionaries, objects.dictionaries)
    try measure("groups", twin.groups, objects.groups)
    let values = objects.batchValues(rows)
    try measure("batch insert", twin.batchInsert) { try objects.batchInsert(values) }
    try measure("batch update", twin.batchUpdate, objects.batchUpdate)
    try measure("batch delete", twin.batchDelete, objects.batchDelete)
    (twinRows, people) = (try twin.everybody(), try objects.everybody())
    try measure("delete all", { try twin.delete(twinRows) }, { try objects.delete(people) })
    try objects.close()
    for schema in schemas { try twin.connection.execute("DROP SCHEMA \(schema) CASCADE") }
  }

  /// Returns the URL of a store in a schema of its own.
  static func url(_ server: String, _ schema: String) throws -> URL {
    guard let url = URL(string: "\(server)?schema=\(schema)") else {
      throw TwinConnection.Failure(description: "\(server) is not a URL")
    }
    return url
  }

  static func measure(
    trips: () throws -> Int, _ body: () throws -> Void
  ) throws -> SpeedTable.Run {
    let before = try trips()
    let time = try ContinuousClock().measure(body)
    return SpeedTable.Run(seconds: time / .seconds(1), roundTrips: try trips() - before)
  }
}
