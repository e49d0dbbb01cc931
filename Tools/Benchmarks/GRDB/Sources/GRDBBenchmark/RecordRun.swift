import Foundation
import GRDB

/// A record in the style of GRDB's documentation, with hand-written coding, which is faster.
struct PersonRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "ZPERSON"
  var key: Int64
  var version: Int64
  var age: Int64
  var born: Double
  var height: Double
  var city: String
  var name: String

  init(key: Int64, age: Int64, born: Double, height: Double, city: String, name: String) {
    (self.key, version, self.age, self.born) = (key, 1, age, born)
    (self.height, self.city, self.name) = (height, city, name)
  }

  init(row: Row) {
    (key, version, age, born) = (row[0], row[2], row[3], row[4])
    (height, city, name) = (row[5], row[6], row[7])
  }

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = key
    container["Z_ENT"] = 1
    container["Z_OPT"] = version
    container["ZAGE"] = age
    container["ZBORN"] = born
    container["ZHEIGHT"] = height
    container["ZCITY"] = city
    container["ZNAME"] = name
  }
}

struct CompanyRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "ZCOMPANY"
  var key: Int64
  var name: String

  init(key: Int64, name: String) { (self.key, self.name) = (key, name) }

  init(row: Row) { (key, name) = (row[0], row[3]) }

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = key
    container["Z_ENT"] = 2
    container["Z_OPT"] = 1
    container["ZNAME"] = name
  }
}

struct WorkerRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "ZWORKER"
  var key: Int64
  var age: Int64
  var company: Int64
  var name: String

  init(key: Int64, age: Int64, company: Int64, name: String) {
    (self.key, self.age, self.company, self.name) = (key, age, company, name)
  }

  init(row: Row) { (key, age, company, name) = (row[0], row[3], row[4], row[5]) }

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = key
    container["Z_ENT"] = 3
    container["Z_OPT"] = 1
    container["ZAGE"] = age
    container["ZCOMPANY"] = company
    container["ZNAME"] = name
  }
}

/// The work done with GRDB's records, in the empty file that the C API created.
struct RecordRun {
  private let queue: DatabaseQueue
  private let rows: Int

  init(file: URL, rows: Int) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous=NORMAL") }
    queue = try DatabaseQueue(path: file.path, configuration: configuration)
    self.rows = rows
  }

  func insert() throws -> Int {
    try queue.write { database in
      for row in 0..<rows {
        try PersonRecord(
          key: Int64(row + 1), age: Int64(row % 90), born: Double(row),
          height: Double(row) * 0.5, city: "City \(row % (rows / 100))", name: "Name \(row)"
        ).insert(database)
      }
    }
    return rows
  }

  func everybody() throws -> [PersonRecord] {
    try queue.read { try PersonRecord.fetchAll($0) }
  }

  func fetchAll() throws -> Int {
    let people = try everybody()
    var length = 0
    for person in people { length += person.name.utf8.count }
    return people.count + (length == 0 ? 1 : 0)
  }

  func byKey() throws -> Int {
    try queue.read { database in
      var count = 0
      for step in 0..<10_000 {
        let person = try PersonRecord.fetchOne(database, key: Int64((step * 7919) % rows + 1))
        count += person?.name.isEmpty == false ? 1 : 0
      }
      return count
    }
  }

  func byIndex() throws -> Int {
    try queue.read { database in
      var count = 0
      for step in 0..<1000 {
        let request = PersonRecord.filter(Column("ZCITY") == "City \(step % (rows / 100))")
        for person in try request.fetchAll(database) { count += person.name.isEmpty ? 0 : 1 }
      }
      return count
    }
  }

  func update(_ people: [PersonRecord]) throws -> Int {
    try queue.write { database in
      for var person in people {
        person.age += 1
        person.version += 1
        try person.update(database, columns: ["ZAGE", "Z_OPT"])
      }
    }
    return people.count
  }

  func graphInsert() throws -> Int {
    try queue.write { database in
      var key: Int64 = 0
      for index in 0..<1000 {
        try CompanyRecord(key: Int64(index + 1), name: "Company \(index)").insert(database)
        for number in 0..<100 {
          key += 1
          try WorkerRecord(
            key: key, age: Int64(number), company: Int64(index + 1), name: "Worker \(number)"
          ).insert(database)
        }
      }
    }
    return 100_000
  }

  func graphLoad() throws -> Int {
    try queue.read { database in
      let companies = try CompanyRecord.fetchAll(database)
      let workers = Dictionary(grouping: try WorkerRecord.fetchAll(database), by: \.company)
      return companies.reduce(0) { $0 + (workers[$1.key]?.count ?? 0) }
    }
  }

  func graphFault() throws -> Int {
    try queue.read { database in
      try CompanyRecord.fetchAll(database).reduce(0) { sum, company in
        try sum + WorkerRecord.filter(Column("ZCOMPANY") == company.key).fetchAll(database).count
      }
    }
  }
}
