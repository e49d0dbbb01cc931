import Foundation
import MomKit

extension GrowthCase {
  /// Fetches.
  static var fetching: [GrowthCase] {
    [
      GrowthCase("–", "fetch all, read one text", sizes: usual, raw: readAll) { store, count in
        store.fillPeople(count)
        let context = store.context()
        return try timed { use(try context.people().reduce(0) { $0 + $1.name.utf8.count }) }
      },
      GrowthCase("S9", "fetchBatchSize 100, read all", sizes: usual, raw: readAll) {
        store, count in
        store.fillPeople(count)
        let context = store.context()
        return try timed {
          use(
            try context.people { $0.fetchBatchSize = 100 }.reduce(0) { $0 + $1.name.utf8.count })
        }
      },
      GrowthCase("S10", "fetchBatchSize 20, the first 1,000", sizes: usual) { store, count in
        store.fillPeople(count)
        let raw = store.raw()
        return timed {
          var keys: [Int64] = []
          raw.rows("SELECT Z_PK FROM ZPERSON") { keys.append($0.integer(0)) }
          let marks = Array(repeating: "?", count: 20).joined(separator: ",")
          let rows = raw.statement("\(columns) WHERE Z_PK IN (\(marks))")
          for start in stride(from: 0, to: min(1_000, keys.count), by: 20) {
            for index in 0..<20 { rows.bind(Int(keys[start + index]), Int32(index + 1)) }
            while rows.step() { use(RawPerson(rows).name.utf8.count) }
            rows.reset()
          }
        }
      } objects: { store, count in
        store.fillPeople(count)
        let context = store.context()
        return try timed {
          let people = try context.people { $0.fetchBatchSize = 20 }
          use(people.prefix(1_000).reduce(0) { $0 + $1.name.utf8.count })
        }
      },
      GrowthCase("S14", "sort by localizedStandardCompare", sizes: usual) { store, count in
        try sortedRaw(store, count)
      } objects: { store, count in
        store.fillPeople(count)
        let context = store.context()
        return try timed {
          let people = try context.people {
            $0.sortDescriptors = [
              NSSortDescriptor(
                key: "name", ascending: true, selector: "localizedStandardCompare:")
            ]
          }
          use(people.count)
        }
      },
      matching("S15", "count of CONTAINS", "name CONTAINS '99'"),
      matching("S15", "count of CONTAINS[c]", "name CONTAINS[c] '99'"),
      matching("S15", "count of CONTAINS[cd]", "name CONTAINS[cd] '99'"),
      matching("S15", "count of LIKE '*99*'", "name LIKE '*99*'"),
    ]
  }

  private static func matching(
    _ number: String, _ work: String, _ predicate: String
  ) -> GrowthCase {
    GrowthCase(number, work, sizes: usual) { store, count in
      store.fillPeople(count)
      let raw = store.raw()
      return timed {
        raw.rows("SELECT count(*) FROM ZPERSON WHERE ZNAME LIKE '%99%'") {
          use(Int($0.integer(0)))
        }
      }
    } objects: { store, count in
      store.fillPeople(count)
      let context = store.context()
      let request = NSFetchRequest<Person>(entityName: "Person")
      request.predicate = NSPredicate(format: predicate)
      return try timed { use(try context.count(for: request)) }
    }
  }

  static let columns = "SELECT Z_PK, Z_ENT, Z_OPT, ZAGE, ZHEIGHT, ZNAME, ZCITY FROM ZPERSON"

  struct RawPerson {
    let key, age: Int64
    let height: Double
    let name, city: String

    init(_ row: RawStatement) {
      (key, age, height) = (row.integer(0), row.integer(3), row.double(4))
      (name, city) = (row.text(5), row.text(6))
    }
  }

  private static func readAll(_ store: GrowthStore, _ count: Int) throws -> Duration {
    store.fillPeople(count)
    let raw = store.raw()
    return timed {
      var people: [RawPerson] = []
      raw.rows(columns) { people.append(RawPerson($0)) }
      use(people.reduce(0) { $0 + $1.name.utf8.count })
    }
  }

  private static func sortedRaw(_ store: GrowthStore, _ count: Int) throws -> Duration {
    store.fillPeople(count)
    let raw = store.raw()
    return timed {
      var people: [RawPerson] = []
      raw.rows("\(columns) ORDER BY ZNAME") { people.append(RawPerson($0)) }
      use(people.count)
    }
  }
}
