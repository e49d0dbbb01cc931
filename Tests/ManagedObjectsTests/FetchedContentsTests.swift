import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Updating a results controller for a few changed objects among many, compared with computing everything anew.
@Suite struct FetchedContentsTests {
  private final class Trial {
    var random: SeededGenerator
    let context: NSManagedObjectContext
    let hasSections: Bool
    let order: ObjectOrder
    var old: FetchedContents

    init(_ seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      context = try Company.context()
      hasSections = random.chance(50)
      order = ObjectOrder(
        (hasSections ? [NSSortDescriptor(key: "age", ascending: true)] : [])
          + (random.chance(90) ? [NSSortDescriptor(key: "name", ascending: random.chance(50))] : [])
      )
      old = FetchedContents([], names: hasSections ? [] : nil)
      old = contents((0..<random.number(16...1_500)).map { _ in person() }.filter(\.isActive))
    }

    func person() -> PersonMO {
      let person = insert(PersonMO.self, "Person", context)
      vary(person)
      return person
    }

    func vary(_ person: PersonMO) {
      person.name = "\(random.number(0...40))"
      person.age = Int16(random.number(0...(random.chance(50) ? 5 : 60)))
      person.isActive = random.chance(85)
    }

    func name(_ object: NSObject) -> String { ((object as? PersonMO)?.age).map { "\($0)" } ?? "" }

    /// All of them, in order.
    func contents(_ objects: [NSObject]) -> FetchedContents {
      let sorted = order.sorted(objects)
      return FetchedContents(sorted, names: hasSections ? sorted.map(name) : nil)
    }

    func step() throws {
      var touched: [PersonMO] = []
      var gone: [PersonMO] = []
      var updated: Set<ObjectIdentifier> = []
      for _ in 0..<random.number(0...max(1, old.list.count / 20)) {
        switch random.number(0...9) {
        case 0...1: touched.append(person())
        case 2:
          guard let person = old.objects.randomElement(using: &random) as? PersonMO else { break }
          gone.append(person)
        default:
          guard let person = old.objects.randomElement(using: &random) as? PersonMO,
            updated.insert(ObjectIdentifier(person)).inserted
          else { break }
          if random.chance(70) { vary(person) } else { person.pay += 1 }
          touched.append(person)
        }
      }
      let left = Set(gone.map(ObjectIdentifier.init))
      touched.removeAll { left.contains(ObjectIdentifier($0)) }
      let before = old.objects
      let places = before.map { old.position(of: $0) }
      #expect(places == before.indices.map { $0 })
      var all = before.filter { !left.contains(ObjectIdentifier($0)) }
      all = all.filter { ($0 as? PersonMO)?.isActive == true }
      all += touched.filter { $0.isActive && old.position(of: $0) == nil } as [NSObject]
      let expected = contents(all)
      let told = ContentsChange(from: old, to: expected, changed: updated)
      let found = TouchedContents(
        old, touched: touched, gone: gone, updated: updated,
        TouchedContents.Rules(
          order: order, sectionName: hasSections ? name : nil,
          fits: { ($0 as? PersonMO)?.isActive == true }))
      guard let found else {
        old = expected
        return
      }
      #expect(found.contents.objects == expected.objects)
      #expect(found.contents.names == expected.names)
      #expect(found.contents.sections.map(\.range) == expected.sections.map(\.range))
      #expect(found.change.deletedSections == told.deletedSections)
      #expect(found.change.insertedSections == told.insertedSections)
      #expect(texts(found.change) == texts(told))
      // The earlier contents have the old positions of all objects, and the later ones the new positions.
      #expect(before.map { old.position(of: $0) } == places)
      for (index, object) in expected.objects.enumerated() {
        #expect(found.contents.position(of: object) == index)
      }
      for person in gone { #expect(found.contents.position(of: person) == nil) }
      // Contents that are used after a third was derived from the second create their own table.
      if random.chance(20) {
        _ = found.contents.homesForSuccessor()
        #expect(before.map { old.position(of: $0) } == places)
      }
      old = found.contents
    }

    private func texts(_ change: ContentsChange) -> [String] {
      change.objects.map { part in
        "\(ObjectIdentifier(part.object)) \(part.type) \(part.old ?? -1) \(part.new ?? -1)"
      }
    }
  }

  @Test(arguments: Trials.seeds(30)) func fewChangesGiveWhatAllWouldGive(seed: UInt64) throws {
    let trial = try Trial(seed)
    for _ in 0..<12 { try trial.step() }
  }

  @Test func manyChangesAndChangedPlacesOfSectionsAreLeftToTheWhole() throws {
    let context = try Company.context()
    let made = (0..<64).map { index -> PersonMO in
      let person = insert(PersonMO.self, "Person", context)
      (person.name, person.age) = ("\(index)", 1)
      return person
    }
    let old = FetchedContents(made, names: nil)
    let rules = TouchedContents.Rules(
      order: ObjectOrder([NSSortDescriptor(key: "pay", ascending: true)]), sectionName: nil,
      fits: { _ in true })
    let all = Set(made.map(ObjectIdentifier.init))
    #expect(
      TouchedContents(old, touched: Array(made[..<5]), gone: [], updated: all, rules) == nil)
    #expect(
      TouchedContents(old, touched: Array(made[..<4]), gone: [], updated: all, rules) != nil)
    // One that exists and didn't change.
    #expect(TouchedContents(old, touched: [made[0]], gone: [], updated: [], rules) == nil)
  }

  /// As the standard library tells it: no more than what has to move does.
  @Test(arguments: Trials.seeds(30)) func resultsDifferByInsertionsRemovalsAndMoves(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let all = (0..<24).map { _ in NSManagedObjectID() }
    var last: [NSManagedObjectID] = []
    for _ in 0..<20 {
      var next = random.chance(70) ? last : last.shuffled(using: &random)
      next.removeAll { _ in random.chance(15) }
      for identity in all where !next.contains(identity) && random.chance(20) {
        next.insert(identity, at: random.number(0...next.count))
      }
      let difference = FetchState(identities: next).difference(from: last)
      #expect(last.applying(difference) == next)
      let expected = next.difference(from: last).inferringMoves()
      #expect(difference.count == expected.count)
      // What is in both has moved if it is told at all.
      let (before, after) = (Set(last), Set(next))
      for change in difference {
        switch change {
        case .insert(_, let identity, let old):
          #expect(old == last.firstIndex(of: identity))
          #expect((old != nil) == before.contains(identity))
        case .remove(_, let identity, let new):
          #expect(new == next.firstIndex(of: identity))
          #expect((new != nil) == after.contains(identity))
        }
      }
      last = next
    }
  }
}
