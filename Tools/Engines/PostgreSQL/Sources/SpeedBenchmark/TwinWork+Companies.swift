/// Companies and their workers.
extension TwinWork {
  private struct Worker {
    let key, age, company: Int64
    let name: String
  }

  func graphInsert() throws -> Int {
    try connection.execute("BEGIN")
    try connection.copy("\"Company\" (_id, _version, name)", rows: 1000, fields: 3) {
      number, row in
      row.field(Int64(number + 1))
      row.field(Int64(1))
      row.field("Company \(number)")
    }
    let target = "\"Worker\" (_id, _version, age, company, name)"
    try connection.copy(target, rows: 100_000, fields: 5) { number, row in
      row.field(Int64(number + 1))
      row.field(Int64(1))
      row.field(Int64(number % 100))
      row.field(Int64(number / 100 + 1))
      row.field("Worker \(number % 100)")
    }
    try connection.execute("COMMIT")
    return 100_000
  }

  private func companies() throws -> [Int64] {
    let found = try connection.run("companies")
    return (0..<found.count).map { row in
      _ = found.text(row, 2)
      return found.integer(row, 0)
    }
  }

  private func workers(_ found: TwinRows) -> [Worker] {
    (0..<found.count).map { row in
      Worker(
        key: found.integer(row, 0), age: found.integer(row, 2), company: found.integer(row, 3),
        name: found.text(row, 4))
    }
  }

  func graphLoad() throws -> Int {
    let keys = try companies()
    let members = Dictionary(grouping: workers(try connection.run("workers")), by: \.company)
    return keys.reduce(0) { $0 + (members[$1]?.count ?? 0) }
  }

  func graphFault() throws -> Int {
    try companies().reduce(0) { sum, key in
      var parameters = TwinParameters()
      parameters.append(key)
      return sum + workers(try connection.run("workersOf", parameters)).count
    }
  }
}
