import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// What a child context takes out of an object before it deletes that object stays when the child is saved.
@Suite struct ChildCascadeTests {
  private let folder: TemporaryFolder
  private let parent: NSManagedObjectContext
  private let child: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let team = entity("Team")
    let player = entity("Player")
    let players = relationship("players", to: player, max: 0, rule: .cascadeDeleteRule)
    let roster = relationship(
      "roster", to: player, max: 0, rule: .cascadeDeleteRule, ordered: true)
    let captain = relationship("captain", to: player, max: 1, rule: .cascadeDeleteRule)
    let guests = relationship("guests", to: player, max: 0, rule: .cascadeDeleteRule)
    let (playsFor, listedBy, leads) = (
      relationship("team", to: team, max: 1), relationship("lister", to: team, max: 1),
      relationship("leads", to: team, max: 1)
    )
    link(players, playsFor)
    link(roster, listedBy)
    link(captain, leads)
    team.properties = [attribute("name", .stringAttributeType), players, roster, captain, guests]
    player.properties = [attribute("name", .stringAttributeType), playsFor, listedBy, leads]
    parent = Library.parent(
      try Library.coordinator(
        folder.file("Teams.sqlite"), NSManagedObjectModel(of: [team, player])))
    child = Library.child(of: parent)
    try parent.performAndWait {
      let team = Library.new("Team", ["name": "t"], in: parent)
      for name in ["a", "b"] {
        let player = Library.new("Player", ["name": name, "team": team], in: parent)
        player.setValue(team, forKey: "lister")
        team.mutableSetValue(forKey: "guests").add(player)
      }
      team.setValue(try Library.all("Player", "name == 'a'", in: parent).first, forKey: "captain")
      try parent.save()
      parent.reset()
    }
  }

  @Test(arguments: [false, true], [false, true])
  func takenOutMembersStay(clears: Bool, isKnownToTheParent: Bool) throws {
    if isKnownToTheParent {
      try parent.performAndWait {
        for player in try Library.all("Player", in: parent) { _ = player.value(forKey: "name") }
        _ = (try Library.all("Team", in: parent)[0].value(forKey: "players") as? NSSet)?.count
      }
    }
    try child.performAndWait {
      let team = try Library.all("Team", in: child)[0]
      if clears {
        for key in ["players", "guests"] { team.mutableSetValue(forKey: key).removeAllObjects() }
        team.mutableOrderedSetValue(forKey: "roster").removeAllObjects()
        team.setValue(nil, forKey: "captain")
      } else {
        for player in try Library.all("Player", in: child) {
          for key in ["team", "lister", "leads"] { player.setValue(nil, forKey: key) }
        }
        team.mutableSetValue(forKey: "guests").removeAllObjects()
      }
      child.delete(team)
      try child.save()
    }
    try parent.performAndWait {
      #expect(try Library.all("Player", in: parent).count == 2)
      try parent.save()
      parent.reset()
      #expect(try Library.all("Player", in: parent).count == 2)
      #expect(try Library.all("Team", in: parent).isEmpty)
    }
  }

  @Test func remainingMembersGo() throws {
    try child.performAndWait {
      let team = try Library.all("Team", in: child)[0]
      let b = try #require(try Library.all("Player", "name == 'b'", in: child).first)
      for key in ["team", "lister"] { b.setValue(nil, forKey: key) }
      team.mutableSetValue(forKey: "guests").remove(b)
      child.delete(team)
      try child.save()
    }
    try parent.performAndWait {
      try parent.save()
      parent.reset()
      #expect(try Library.all("Player", in: parent).map { $0["name"] as? String } == ["b"])
    }
  }
}
