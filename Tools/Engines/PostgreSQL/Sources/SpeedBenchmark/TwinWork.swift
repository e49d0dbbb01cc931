import Foundation

/// The same work as ``ObjectWork``'s in the same tables, done with libpq.
///
/// It is what a program in C would do: `COPY` for many new rows, arrays for many changed ones, and one statement after
/// another only where the work is to ask for one thing after another.
final class TwinWork {
  /// A person, as a program in C would hold it.
  struct Row {
    let key, version, age: Int64
    let born, height: Double
    let city, name: String
  }

  private static let columns = "_id, _version, age, born, height, city, name"
  // The index contains the beginnings.
  private static let isOfCity = "city = $1 AND left(city, 600) = left($1::text, 600)"
  private static let target = "\"Person\" (\(columns))"

  let connection: TwinConnection
  let rows: Int

  init(url: String, schema: String, rows: Int) throws {
    connection = try TwinConnection(url: url, schema: schema)
    self.rows = rows
    let columns = Self.columns
    let statements = [
      "begin": "BEGIN", "commit": "COMMIT",
      "all": "SELECT \(columns) FROM \"Person\"",
      "key": "SELECT \(columns) FROM \"Person\" WHERE _id = $1",
      "keys": "SELECT \(columns) FROM \"Person\" WHERE _id = ANY ($1::bigint[])",
      "city": "SELECT \(columns) FROM \"Person\" WHERE \(Self.isOfCity)",
      "update": """
      UPDATE "Person" t SET _version = t._version + 1, age = v.age
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS v(id, version, age)
      WHERE t._id = v.id AND t._version = v.version
      """,
      "delete": """
      DELETE FROM "Person" t USING unnest($1::bigint[], $2::bigint[]) AS v(id, version)
      WHERE t._id = v.id AND t._version = v.version
      """,
      "companies": "SELECT _id, _version, name FROM \"Company\"",
      "workers": "SELECT _id, _version, age, company, name FROM \"Worker\"",
      "workersOf": "SELECT _id, _version, age, company, name FROM \"Worker\" WHERE company = $1",
      "names": "SELECT name, age FROM \"Person\"",
      "groups": "SELECT city, sum(age)::bigint FROM \"Person\" GROUP BY city",
      "birthdays": "UPDATE \"Person\" SET age = age + 1, _version = _version + 1",
      "change":
        "UPDATE \"Person\" SET _version = _version + 1, age = $3 WHERE _id = $1 AND _version = $2",
      "deleteCity": "DELETE FROM \"Person\" WHERE \(Self.isOfCity)",
    ]
    for (name, sql) in statements { try connection.prepare(name, sql) }
  }

  // MARK: People

  private func copy(_ count: Int, firstKey: Int64, _ person: (Int) -> Row) throws {
    try connection.copy(Self.target, rows: count, fields: 7) { number, row in
      let person = person(number)
      row.field(firstKey + Int64(number))
      row.field(Int64(1))
      row.field(person.age)
      row.field(seconds: person.born)
      row.field(person.height)
      row.field(person.city)
      row.field(person.name)
    }
  }

  private func person(_ row: Int) -> Row {
    Row(
      key: 0, version: 1, age: Int64(row % 90), born: Double(row), height: Double(row) * 0.5,
      city: "City \(row % (rows / 100))", name: "Name \(row)")
  }

  func insert() throws -> Int {
    try copy(rows, firstKey: 1, person)
    return rows
  }

  private func row(_ rows: TwinRows, _ row: Int) -> Row {
    Row(
      key: rows.integer(row, 0), version: rows.integer(row, 1), age: rows.integer(row, 2),
      born: rows.seconds(row, 3), height: rows.double(row, 4), city: rows.text(row, 5),
      name: rows.text(row, 6))
  }

  func everybody() throws -> [Row] {
    let found = try connection.run("all")
    return (0..<found.count).map { row(found, $0) }
  }

  func fetchAll() throws -> Int {
    let all = try everybody()
    let length = all.reduce(0) { $0 + $1.name.utf8.count }
    return all.count + (length == 0 ? 1 : 0)
  }

  func byKey() throws -> Int {
    var count = 0
    for step in 0..<ObjectWork.lookups {
      var parameters = TwinParameters()
      parameters.append(ObjectWork.key(step, of: rows))
      let found = try connection.run("key", parameters)
      if found.count == 1, !row(found, 0).name.isEmpty { count += 1 }
    }
    return count
  }

  func byKeys() throws -> Int {
    var parameters = TwinParameters()
    parameters.append(integers: (0..<ObjectWork.lookups).map { ObjectWork.key($0, of: rows) })
    let found = try connection.run("keys", parameters)
    return (0..<found.count).reduce(0) { $0 + (row(found, $1).name.isEmpty ? 0 : 1) }
  }

  func byIndex() throws -> Int {
    var count = 0
    for step in 0..<1000 {
      var parameters = TwinParameters()
      parameters.append("City \(step % (rows / 100))")
      let found = try connection.run("city", parameters)
      for number in 0..<found.count { count += row(found, number).name.isEmpty ? 0 : 1 }
    }
    return count
  }

  /// Adds a year to each of the given rows, provided that nobody else has changed it.
  func update(_ all: [Row]) throws -> Int {
    var parameters = TwinParameters()
    parameters.append(integers: all.map(\.key))
    parameters.append(integers: all.map(\.version))
    parameters.append(integers: all.map { $0.age + 1 })
    return try transaction("update", parameters)
  }

  func fetchAndUpdate() throws -> Int { try update(everybody()) }

  func delete(_ all: [Row]) throws -> Int {
    var parameters = TwinParameters()
    parameters.append(integers: all.map(\.key))
    parameters.append(integers: all.map(\.version))
    return try transaction("delete", parameters)
  }

  private func transaction(_ name: String, _ parameters: TwinParameters) throws -> Int {
    let none = TwinParameters()
    return try connection.runAll([("begin", none), (name, parameters), ("commit", none)])[1]
      .written
  }

  // MARK: Dictionaries and batches

  func dictionaries() throws -> Int {
    let found = try connection.run("names")
    let all: [[String: Any]] = (0..<found.count).map {
      ["name": found.text($0, 0), "age": found.integer($0, 1)]
    }
    return all.count
  }

  func groups() throws -> Int {
    let found = try connection.run("groups")
    let all: [[String: Any]] = (0..<found.count).map {
      ["city": found.text($0, 0), "total": found.integer($0, 1)]
    }
    return all.count
  }

  func batchInsert() throws -> Int {
    try copy(rows, firstKey: 1_000_000_000) { number in
      Row(
        key: 0, version: 1, age: 1, born: 0, height: 0, city: ObjectWork.batchCity,
        name: "Name \(number)")
    }
    return rows
  }

  func batchUpdate() throws -> Int { try connection.run("birthdays").written }

  func batchDelete() throws -> Int {
    var parameters = TwinParameters()
    parameters.append(ObjectWork.batchCity)
    return try connection.run("deleteCity", parameters).written
  }
}
