import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Prefetched relationships equal those that are read one by one.
@Suite struct PrefetchTests {
  /// Team ←→> Player (a key), Team <<→> Cup (a join table), Team ←→> ordered Match (a key and an
  /// order), Player <<→> Player (a reflexive join table).
  private static func model() -> NSManagedObjectModel {
    let number = attribute("number", .integer64AttributeType)
    let (team, player, cup, match) = (
      entity("Team"), entity("Player"), entity("Cup"), entity("Match")
    )
    let players = relationship("players", to: player, max: 0)
    let playersTeam = relationship("team", to: team, max: 1)
    link(players, playersTeam)
    let cups = relationship("cups", to: cup, max: 0)
    let winners = relationship("winners", to: team, max: 0)
    link(cups, winners)
    let matches = relationship("matches", to: match, max: 0, ordered: true)
    let matchTeam = relationship("team", to: team, max: 1)
    link(matches, matchTeam)
    let friends = relationship("friends", to: player, max: 0)
    friends.inverseRelationship = friends
    team.properties = [number, players, cups, matches]
    player.properties = [playersTeam, friends]
    cup.properties = [winners]
    match.properties = [matchTeam]
    return NSManagedObjectModel(of: [team, player, cup, match])
  }

  private static func coordinator(_ url: URL) throws -> NSPersistentStoreCoordinator {
    return try TestStore.coordinator(model(), at: url)
  }

  /// A key of 0, which no store assigns, isn't the key of objects without an owner.
  @Test func whoHasNoOwnerIsNobodys() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    do {
      let context = TestStore.context(try Self.coordinator(url))
      for name in ["Team", "Player", "Player"] {
        _ = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
      }
      try context.save()
    }
    do {
      let connection = try SQLiteConnection(writing: url, creation: .existing)
      try connection.execute("UPDATE ZTEAM SET Z_PK = 0")
      try connection.execute("UPDATE ZPLAYER SET ZTEAM = 0 WHERE Z_PK = 2")
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
    request.relationshipKeyPathsForPrefetching = ["players"]
    let team = try #require(try TestStore.context(try Self.coordinator(url)).fetch(request).first)
    let players = try #require(team["players"] as? Set<NSManagedObject>)
    #expect(players.map(\.objectID.key) == [2])
  }

  /// More teams than keys in one statement.
  private static let teamCount = 300

  private static func fill(_ context: NSManagedObjectContext) throws {
    func make(_ name: String) -> NSManagedObject {
      NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    }
    let cups = (0..<5).map { _ in make("Cup") }
    let players = (0..<2 * teamCount).map { _ in make("Player") }
    for number in 0..<teamCount {
      let team = make("Team")
      team["number"] = number
      // One team in three has no players.
      if number % 3 != 0 {
        team["players"] = Set([players[2 * number], players[teamCount - number]])
      }
      team["cups"] = Set(cups.prefix(number % 5))
      team["matches"] = (0..<number % 4).map { _ in make("Match") }.reversed() as [NSManagedObject]
      players[number]["friends"] = Set([players[number], players[2 * number]])
    }
    try context.save()
  }

  @Test func prefetchedRelationshipsAreTheSame() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Self.coordinator(folder.file("teams.sqlite"))
    try Self.fill(TestStore.context(coordinator))
    for predicate in [nil, NSPredicate(format: "number < 290"), NSPredicate(format: "number = 7")] {
      let (plain, ahead) = (TestStore.context(coordinator), TestStore.context(coordinator))
      let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
      request.predicate = predicate
      let expected = try plain.fetch(request)
      request.relationshipKeyPathsForPrefetching = ["players.friends", "cups", "matches"]
      let found = try ahead.fetch(request)
      #expect(found.map(\.objectID) == expected.map(\.objectID))
      for (team, twin) in zip(found, expected) {
        for key in ["players", "cups", "matches"] {
          #expect(!team.hasFault(forRelationshipNamed: key))
          #expect(
            team.objectIDs(forRelationshipNamed: key) == twin.objectIDs(forRelationshipNamed: key))
        }
      }
      for player in try ahead.fetch(NSFetchRequest<NSManagedObject>(entityName: "Player"))
      where player["team"] != nil && predicate == nil {
        #expect(!player.hasFault(forRelationshipNamed: "friends"))
        #expect(
          Set(player.objectIDs(forRelationshipNamed: "friends"))
            == Set(
              plain.object(with: player.objectID).objectIDs(forRelationshipNamed: "friends")))
      }
    }
  }

  @Test func prefetchedDestinationsHaveTheirRows() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Self.coordinator(folder.file("teams.sqlite"))
    try Self.fill(TestStore.context(coordinator))
    let context = TestStore.context(coordinator)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.relationshipKeyPathsForPrefetching = ["team"]
    let players = try context.fetch(request)
    // Without the store, only loaded values can be read.
    let store = try #require(coordinator.persistentStores.first)
    try coordinator.remove(store)
    let numbers = players.compactMap { ($0["team"] as? NSManagedObject)?["number"] as? Int }
    #expect(numbers.count > 100)
    #expect(Set(numbers).count > 100)
  }

  @Test func unsavedChangesStayOnTopOfWhatIsPrefetched() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Self.coordinator(folder.file("teams.sqlite"))
    try Self.fill(TestStore.context(coordinator))
    let context = TestStore.context(coordinator)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    let teams = try context.fetch(request)
    let newcomer = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
    newcomer["team"] = teams[1]
    let leaver = try #require(
      try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Player"))
        .first { $0["team"] is NSManagedObject && $0 !== newcomer })
    let left = try #require(leaver["team"] as? NSManagedObject)
    leaver["team"] = nil
    request.relationshipKeyPathsForPrefetching = ["players"]
    _ = try context.fetch(request)
    let first = teams[1].objectIDs(forRelationshipNamed: "players")
    #expect(first.count(where: { $0 == newcomer.objectID }) == 1)
    #expect(!left.objectIDs(forRelationshipNamed: "players").contains(leaver.objectID))
    #expect(!left.hasFault(forRelationshipNamed: "players"))
  }
}
