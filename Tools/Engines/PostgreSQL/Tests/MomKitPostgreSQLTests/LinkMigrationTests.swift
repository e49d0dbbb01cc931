import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// Links survive changes of how relationships are stored, in their order, or the migration is refused.
@Suite(.enabled(if: TestServer.isThere)) struct LinkMigrationTests {
  /// One side of the relationship between lists and songs.
  struct Side {
    var name: String
    var isToMany = false
    var isOrdered = false

    static let songs = Side(name: "songs", isToMany: true)
    static let ordered = Side(name: "songs", isToMany: true, isOrdered: true)
    static let song = Side(name: "song")
    static let lists = Side(name: "lists", isToMany: true)
    static let list = Side(name: "list")

    var relationship: NSRelationshipDescription {
      isToMany ? TestModel.toMany(name, ordered: isOrdered) : TestModel.toOne(name)
    }
  }

  /// The relationships of a version; the second one is missing if there is no inverse.
  struct Version: CustomTestStringConvertible {
    let ofList: Side
    let ofSong: Side?

    var testDescription: String {
      "\(ofList.name)\(ofList.isOrdered ? " (ordered)" : "") and \(ofSong?.name ?? "nothing")"
    }

    /// `List {name}` and its subentity `Album`, `Song {name}` and its subentity `Live`.
    func model() -> NSManagedObjectModel {
      let list = TestModel.entity("List", [TestModel.attribute("name")])
      let song = TestModel.entity("Song", [TestModel.attribute("name")])
      let (album, live) = (TestModel.entity("Album", []), TestModel.entity("Live", []))
      let forward = ofList.relationship
      list.properties.append(forward)
      if let back = ofSong?.relationship {
        song.properties.append(back)
        TestModel.link(forward, list, back, song)
      } else {
        forward.destinationEntity = song
      }
      (list.subentities, song.subentities) = ([album], [live])
      return TestModel.model([list, song, album, live])
    }
  }

  static let changes: [(Version, Version)] = [
    // An inverse is added.
    (Version(ofList: .songs, ofSong: nil), Version(ofList: .songs, ofSong: .list)),
    (Version(ofList: .ordered, ofSong: nil), Version(ofList: .ordered, ofSong: .list)),
    (Version(ofList: .song, ofSong: nil), Version(ofList: .song, ofSong: .list)),
    (Version(ofList: .song, ofSong: nil), Version(ofList: .song, ofSong: .lists)),
    // Songs are in one list only.
    (Version(ofList: .ordered, ofSong: .lists), Version(ofList: .ordered, ofSong: .list)),
    // The inverse has another name.
    (
      Version(ofList: .ordered, ofSong: .list),
      Version(ofList: .ordered, ofSong: Side(name: "owner"))
    ),
    (Version(ofList: .song, ofSong: .list), Version(ofList: .song, ofSong: Side(name: "owner"))),
    (
      Version(ofList: .songs, ofSong: .lists),
      Version(ofList: .songs, ofSong: Side(name: "in", isToMany: true))
    ),
  ]

  /// - Parameter isShared: whether both lists have the first song.
  @Test(arguments: changes, [false, true])
  func linksAreThoseOfSQLite(versions: (Version, Version), isShared: Bool) throws {
    let (old, new) = versions
    try MigrationTrial.run(from: old.model, to: new.model) { context in
      let lists = [context.insert("List", ["name": "l"]), context.insert("Album", ["name": "m"])]
      let songs = ["a", "b", "c", "d"].enumerated().map {
        context.insert($0.offset % 2 == 0 ? "Song" : "Live", ["name": $0.element])
      }
      try context.save()
      func give(_ list: NSManagedObject, _ members: [NSManagedObject]) {
        let side = old.ofList
        list.setValue(
          side.isOrdered
            ? NSOrderedSet(array: members) : side.isToMany ? NSSet(array: members) : members[0],
          forKey: side.name)
      }
      // Only lists that will have one song have one.
      let isSingle = !new.ofList.isToMany
      give(lists[0], isSingle ? [songs[3]] : [songs[3], songs[0], songs[1]])
      give(lists[1], (isShared ? [songs[3]] : []) + (isSingle && isShared ? [] : [songs[2]]))
      try context.save()
    } describe: { context in
      func names(_ value: Any?) -> [String] {
        func name(_ object: Any) -> String {
          (object as? NSManagedObject)?.value(forKey: "name") as? String ?? "?"
        }
        switch value {
        case let set as NSOrderedSet: return set.array.map(name)
        case let set as NSSet: return set.allObjects.map(name).sorted()
        case let object?: return [name(object)]
        case nil: return []
        }
      }
      let lists = try context.all("List", sortedBy: "name").map {
        names($0) + names($0.value(forKey: new.ofList.name))
      }
      let songs = try context.all("Song", sortedBy: "name").map { song in
        names(song) + names(new.ofSong.flatMap { song.value(forKey: $0.name) })
      }
      return (lists + songs).map { "\($0)" }
    }
  }

  /// Companies become parties, so that the keys of some change; invoices, whose table doesn't, refer to them.
  @Test(arguments: [false, true])
  func referencesFollowRowsThatGetOtherKeys(hasInverse: Bool) throws {
    func model(areParties: Bool) -> NSManagedObjectModel {
      let company = TestModel.entity("Company", areParties ? [] : [TestModel.attribute("name")])
      let party = TestModel.entity("Party", [TestModel.attribute("name")])
      let (payer, bills) = (TestModel.toOne("party"), TestModel.toMany("invoices"))
      let invoice = TestModel.entity("Invoice", [TestModel.attribute("code"), payer])
      if hasInverse {
        party.properties.append(bills)
        TestModel.link(payer, invoice, bills, party)
      } else {
        payer.destinationEntity = party
      }
      if areParties { party.subentities = [company] }
      return TestModel.model([company, party, invoice])
    }
    let found = try MigrationTrial.run(
      from: { model(areParties: false) }, to: { model(areParties: true) }
    ) { context in
      for number in 0..<3 {
        _ = context.insert("Company", ["name": "company \(number)"])
        let party = context.insert("Party", ["name": "party \(number)"])
        let invoice = context.insert("Invoice", ["code": "\(number)"])
        invoice.setValue(party, forKey: "party")
      }
      try context.save()
    } describe: { context in
      try context.all("Invoice", sortedBy: "code").map {
        "\($0.value(forKey: "code") ?? "") \($0.value(forKeyPath: "party.name") ?? "nil")"
      }
    }
    #expect(found == ["0 party 0", "1 party 1", "2 party 2"])
  }

  /// More than one link would be lost: neither store keeps just one of them.
  @Test func severalOwnersAreRefused() throws {
    let (old, new) = (
      Version(ofList: .ordered, ofSong: .lists), Version(ofList: .ordered, ofSong: .list)
    )
    let found = try MigrationTrial.run(from: old.model, to: new.model) { context in
      let song = context.insert("Song", ["name": "a"])
      for name in ["l", "m"] {
        context.insert("List", ["name": name]).setValue(NSOrderedSet(object: song), forKey: "songs")
      }
      try context.save()
    } describe: { _ in
      ["migrated"]
    }
    #expect(found == ["refused: \(NSMigrationError)"])
  }
}
