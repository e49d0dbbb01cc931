import Foundation
import MomKit

extension GrowthCase {
  /// Batch requests.
  static var batches: [GrowthCase] {
    [
      GrowthCase("S19", "batch insert by dictionaryHandler", sizes: usual) { store, count in
        let raw = store.raw()
        return timed {
          raw.forEach(
            count,
            "INSERT INTO ZPERSON (Z_ENT, Z_OPT, ZAGE, ZHEIGHT, ZNAME, ZCITY) VALUES (1, 1, ?, ?, ?, ?)"
          ) { statement, row in
            statement.bind(row % 90, 1)
            statement.bind(Double(row) * 0.5, 2)
            statement.bind(GrowthStore.name(row), 3)
            statement.bind("City \(row % 1_000)", 4)
          }
        }
      } objects: { store, count in
        let context = store.context()
        return try timed {
          var row = 0
          _ = try context.execute(
            NSBatchInsertRequest(
              entityName: "Person",
              dictionaryHandler: { values in
                guard row < count else { return true }
                values["age"] = row % 90
                values["height"] = Double(row) * 0.5
                values["name"] = GrowthStore.name(row)
                values["city"] = "City \(row % 1_000)"
                row += 1
                return false
              }))
        }
      },
      GrowthCase("S20", "batch insert, all present", sizes: usual) { store, count in
        let raw = store.raw()
        fillUnique(raw, count)
        return timed {
          raw.forEach(
            count,
            "INSERT INTO ZUNIQUE (Z_ENT, Z_OPT, ZKEY, ZVALUE) VALUES (8, 1, ?, ?) "
              + "ON CONFLICT (ZKEY) DO UPDATE SET ZVALUE = excluded.ZVALUE, Z_OPT = Z_OPT + 1"
          ) { statement, row in
            statement.bind(row, 1)
            statement.bind("new \(row)", 2)
          }
        }
      } objects: { store, count in
        fillUnique(store.raw(), count)
        let context = store.context()
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let objects: [[String: Any]] = (0..<count).map { ["key": $0, "value": "new \($0)"] }
        return try timed {
          _ = try context.execute(NSBatchInsertRequest(entityName: "Unique", objects: objects))
        }
      },
    ]
  }
}
