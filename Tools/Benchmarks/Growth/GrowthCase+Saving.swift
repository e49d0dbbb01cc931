import Foundation
import MomKit

extension GrowthCase {
  /// Saves.
  static var saving: [GrowthCase] {
    [
      GrowthCase("S1", "upsert: n objects that exist", sizes: usual) { store, count in
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
        return try timed {
          for row in 0..<count {
            let object = context.make("Unique")
            object.setValue(row, forKey: "key")
            object.setValue("new \(row)", forKey: "value")
          }
          try context.save()
        }
      },
      GrowthCase("S13", "find by name beside n unsaved", .each, sizes: usual) { store, count in
        let raw = store.raw()
        raw.execute("BEGIN IMMEDIATE")
        raw.forEach(
          count, "INSERT INTO ZPERSON (Z_ENT, Z_OPT, ZCITY) VALUES (1, 1, ?)", inTransaction: false
        ) { statement, row in statement.bind("City \(row)", 1) }
        let find = raw.statement("SELECT Z_PK FROM ZPERSON WHERE ZCITY = ?")
        return timed(each: 100) { step in
          find.bind("City \(count - 1 - step)", 1)
          while find.step() { use(Int(find.integer(0))) }
          find.reset()
        }
      } objects: { store, count in
        let context = store.context()
        for row in 0..<count { Person(context: context).city = "City \(row)" }
        return try timed(each: 100) { step in
          let found = try context.people {
            $0.predicate = NSPredicate(format: "city == %@", "City \(count - 1 - step)")
          }
          precondition(found.count == 1)
        }
      },
      beside("S13", "find by name beside n unsaved without one") { context, count in
        for _ in 0..<count { _ = Person(context: context) }
      },
      beside("S13", "find by name beside n deleted of another entity") { context, count in
        let workers = (0..<count).map { _ in Worker(context: context) }
        try context.save()
        for worker in workers { context.delete(worker) }
      },
      GrowthCase("S13", "find or create n, one save", sizes: [500, 2_000, 8_000]) {
        store, count in
        let raw = store.raw()
        return timed {
          raw.execute("BEGIN IMMEDIATE")
          let find = raw.statement("SELECT Z_PK FROM ZPERSON WHERE ZCITY = ?")
          let insert = raw.statement("INSERT INTO ZPERSON (Z_ENT, Z_OPT, ZCITY) VALUES (1, 1, ?)")
          for row in 0..<count {
            find.bind("City \(row % (count / 2))", 1)
            let isThere = find.step()
            find.reset()
            if isThere { continue }
            insert.bind("City \(row % (count / 2))", 1)
            while insert.step() {}
            insert.reset()
          }
          raw.execute("COMMIT")
        }
      } objects: { store, count in
        let context = store.context()
        return try timed {
          for row in 0..<count {
            let city = "City \(row % (count / 2))"
            let found = try context.people {
              $0.predicate = NSPredicate(format: "city == %@", city)
              $0.fetchLimit = 1
            }
            if found.isEmpty { Person(context: context).city = city }
          }
          try context.save()
        }
      },
      singles("S17", "n saves of one object", [:]),
      singles("S18", "the same with history", [NSPersistentHistoryTrackingKey: true]),
    ]
  }

  /// Lookups in an empty table beside unsaved changes that don't concern them.
  private static func beside(
    _ number: String, _ work: String,
    _ change: @escaping (NSManagedObjectContext, Int) throws -> Void
  ) -> GrowthCase {
    GrowthCase(number, work, .each, sizes: usual) { store, _ in
      let find = store.raw().statement("SELECT Z_PK FROM ZPERSON WHERE ZCITY = ?")
      return timed(each: 100) { step in
        find.bind("City \(step)", 1)
        while find.step() { use(Int(find.integer(0))) }
        find.reset()
      }
    } objects: { store, count in
      let context = store.context()
      try change(context, count)
      let request = NSFetchRequest<Person>(entityName: "Person")
      func find(_ step: Int) throws {
        request.predicate = NSPredicate(format: "city == %@", "City \(step)")
        let found = try context.fetch(request)
        precondition(found.isEmpty)
      }
      // The first lookup builds what the others use.
      try find(0)
      return try timed(each: 100, find)
    }
  }

  private static func singles(
    _ number: String, _ work: String, _ options: [AnyHashable: Any]
  ) -> GrowthCase {
    GrowthCase(number, work, sizes: [100, 400, 1_600]) { store, count in
      let raw = store.raw()
      return timed {
        raw.forEach(
          count, "INSERT INTO ZPERSON (Z_ENT, Z_OPT, ZAGE, ZNAME, ZCITY) VALUES (1, 1, 1, ?, 'c')",
          inTransaction: false
        ) { statement, row in statement.bind("\(row)", 1) }
      }
    } objects: { store, count in
      let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
      context.persistentStoreCoordinator = store.open(options)
      return try timed {
        for row in 0..<count {
          let person = Person(context: context)
          person.age = 1
          person.name = "\(row)"
          person.city = "c"
          try context.save()
        }
      }
    }
  }

  static func fillUnique(_ raw: RawStore, _ count: Int) {
    let number = raw.number(of: "Unique")
    raw.forEach(
      count,
      "INSERT INTO ZUNIQUE (Z_PK, Z_ENT, Z_OPT, ZKEY, ZVALUE) VALUES (?, \(number), 1, ?, 'old')"
    ) { statement, row in
      statement.bind(row + 1, 1)
      statement.bind(row, 2)
    }
    raw.setLastKey(count, of: "Unique")
  }
}
