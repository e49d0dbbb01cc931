import Foundation
import MomKit

extension GrowthCase {
  /// Undoing changes.
  static var undoing: [GrowthCase] {
    [
      GrowthCase("S4", "undo of n deletions", sizes: usual) { store, count in
        store.fillPeople(count)
        let raw = store.raw()
        return timed {
          raw.execute("BEGIN IMMEDIATE")
          raw.forEach(count, "DELETE FROM ZPERSON WHERE Z_PK = ?", inTransaction: false) {
            $0.bind($1 + 1, 1)
          }
          raw.execute("ROLLBACK")
        }
      } objects: { store, count in
        store.fillPeople(count)
        let context = store.context()
        context.undoManager = UndoManager()
        for person in try context.people() { context.delete(person) }
        context.processPendingChanges()
        return timed { context.undo() }
      },
      GrowthCase("S5", "n events that add to one to-many, undo kept", sizes: small) {
        store, count in
        let context = store.context()
        let company = Company(context: context)
        let workers = (0..<count).map { _ in Worker(context: context) }
        try context.save()
        _ = company.workers.count
        context.undoManager = UndoManager()
        return timed {
          for worker in workers {
            worker.company = company
            context.processPendingChanges()
          }
        }
      },
      GrowthCase("S6", "n undos of one change each", sizes: usual) { store, count in
        store.fillPeople(count)
        let context = store.context()
        let undo = UndoManager()
        undo.groupsByEvent = false
        context.undoManager = undo
        for person in try context.people() {
          person.age += 1
          context.processPendingChanges()
        }
        return timed { for _ in 0..<count { context.undo() } }
      },
      GrowthCase("S6", "n events that delete one each", sizes: usual) { store, count in
        store.fillPeople(count)
        let context = store.context()
        let people = try context.people()
        return timed {
          for person in people {
            context.delete(person)
            context.processPendingChanges()
          }
        }
      },
    ]
  }

  /// Relationships.
  static var relationships: [GrowthCase] {
    [
      ordered("S2", "n objects put in front of an ordered to-many, save") { list, song in
        list.insertObject(song, intoRelationshipNamed: "songs", at: 0)
      },
      ordered("S3", "mutableOrderedSetValue kept, n added, save", set: true) { _, _ in },
      GrowthCase("S7", "one more in a loaded to-many of n, save", .each, sizes: usual) {
        store, count in
        store.fillMembers(count)
        let raw = store.raw()
        return timed {
          raw.forEach(
            20, "INSERT INTO ZWORKER (Z_ENT, Z_OPT, ZNAME, ZCOMPANY) VALUES (3, 1, 'w', 1)",
            inTransaction: false
          ) { _, _ in }
        } / 20
      } objects: { store, count in
        store.fillMembers(count)
        let context = store.context()
        guard let company = try context.only("Company") as? Company else { return .zero }
        precondition(company.workers.count == count)
        return try timed(each: 20) { _ in
          let worker = Worker(context: context)
          worker.name = "w"
          worker.company = company
          try context.save()
        }
      },
      GrowthCase("S8", "one more behind n loaded in an order, save", .each, sizes: usual) {
        store, count in
        store.fillMembers(count, isOrdered: true)
        let raw = store.raw()
        return timed {
          raw.forEach(
            20,
            "INSERT INTO ZSONG (Z_ENT, Z_OPT, ZNAME, ZLIST, Z_FOK_LIST) VALUES (6, 1, 's', 1, ?)",
            inTransaction: false
          ) { $0.bind((count + $1) * 1_024, 1) }
        } / 20
      } objects: { store, count in
        store.fillMembers(count, isOrdered: true)
        let context = store.context()
        let list = try context.only("List")
        precondition(list.mutableOrderedSetValue(forKey: "songs").count == count)
        return try timed(each: 20) { _ in
          let song = context.make("Song")
          song.setValue("s", forKey: "name")
          song.setValue(list, forKey: "list")
          try context.save()
        }
      },
      GrowthCase("S16", "n links between many and many, save", sizes: usual) { store, count in
        let raw = store.raw()
        return timed {
          raw.execute("BEGIN IMMEDIATE")
          for (table, number) in [("ZPOST", 6), ("ZTAG", 8)] {
            raw.forEach(
              count / 10,
              "INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, \(number), 1, 'x')",
              inTransaction: false
            ) { $0.bind($1 + 1, 1) }
          }
          raw.forEach(
            count, "INSERT INTO \(joinTable(raw)) VALUES (?, ?)", inTransaction: false
          ) {
            $0.bind($1 / 10 + 1, 1)
            $0.bind(($1 / 10 + $1 % 10 * 7) % (count / 10) + 1, 2)
          }
          raw.execute("COMMIT")
        }
      } objects: { store, count in
        let context = store.context()
        return try timed {
          let posts = (0..<count / 10).map { _ in context.make("Post") }
          let tags = (0..<count / 10).map { _ in context.make("Tag") }
          for object in posts + tags { object.setValue("x", forKey: "name") }
          for (index, post) in posts.enumerated() {
            let set = post.mutableSetValue(forKey: "tags")
            for step in 0..<10 { set.add(tags[(index + step * 7) % tags.count]) }
          }
          try context.save()
        }
      },
      GrowthCase("S21", "a to-many of n by for … in NSSet", sizes: usual) { store, count in
        store.fillMembers(count)
        let raw = store.raw()
        return timed {
          var length = 0
          raw.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZCOMPANY, ZNAME FROM ZWORKER WHERE ZCOMPANY = 1") {
            length += $0.text(4).utf8.count
          }
          use(length)
        }
      } objects: { store, count in
        store.fillMembers(count)
        let context = store.context()
        guard let company = try context.only("Company") as? Company else { return .zero }
        return timed {
          var length = 0
          for case let worker as Worker in company.workers { length += worker.name.utf8.count }
          use(length)
        }
      },
    ]
  }

  private static func ordered(
    _ number: String, _ work: String, set: Bool = false,
    _ add: @escaping (NSManagedObject, NSManagedObject) -> Void
  ) -> GrowthCase {
    GrowthCase(number, work, sizes: small) { store, count in
      let raw = store.raw()
      return timed {
        raw.forEach(
          count, "INSERT INTO ZSONG (Z_ENT, Z_OPT, ZLIST, Z_FOK_LIST) VALUES (6, 1, 1, ?)"
        ) { $0.bind(($1 + 1) * 1_024, 1) }
      }
    } objects: { store, count in
      let context = store.context()
      let list = context.make("List")
      return try timed {
        let songs = set ? list.mutableOrderedSetValue(forKey: "songs") : nil
        for _ in 0..<count {
          let song = context.make("Song")
          if let songs { songs.add(song) } else { add(list, song) }
        }
        try context.save()
      }
    }
  }

  private static func joinTable(_ raw: RawStore) -> String {
    var name = ""
    raw.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'") {
      name = $0.text(0)
    }
    return name
  }
}
