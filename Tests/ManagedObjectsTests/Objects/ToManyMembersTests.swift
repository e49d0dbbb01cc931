import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// The changes recorded by a to-many relationship, compared with differences from its earlier contents.
@Suite struct ToManyMembersTests {
  private struct Reference {
    var stored: [NSManagedObject] = []
    var present: [NSManagedObject] = []

    var added: Set<NSManagedObject> { Set(present).subtracting(stored) }
    var removed: Set<NSManagedObject> { Set(stored).subtracting(present) }
  }

  @Test(arguments: 0..<60) func changesAreWhatComparingGives(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let context = try Company.context()
    let people = (0..<30).map { _ in insert(PersonMO.self, "Person", context) as NSManagedObject }
    let isOrdered = random.chance(50)
    let members = ToManyMembers(isLoaded: random.chance(30), isOrdered: isOrdered)
    var reference = Reference()
    if !members.isLoaded {
      // Changed before it is loaded.
      let stored = people.shuffled(using: &random).prefix(random.number(0...20))
      reference = Reference(stored: Array(stored), present: Array(stored))
      for _ in 0..<random.number(0...8) {
        guard let person = random.pick(people) else { continue }
        if random.chance(50) {
          members.append(person)
          if !reference.present.contains(person) { reference.present.append(person) }
        } else {
          members.remove(person)
          reference.present.removeAll { $0 === person }
        }
      }
      members.load(Array(stored))
    }
    for _ in 0..<60 {
      let before = reference.present
      if random.chance(30) { members.beginJournal() }
      let isJournalNew = members.journal != nil
      for _ in 0..<random.number(0...3) { change(members, &reference, people, &random) }
      check(members, reference, isOrdered: isOrdered)
      if isJournalNew {
        if !isOrdered, let changes = members.journal?.changes {
          #expect(Set(changes.added) == Set(reference.present).subtracting(before))
          #expect(Set(changes.removed) == Set(before).subtracting(reference.present))
        }
        let contents = members.contentsBeforeEvent
        #expect(
          isOrdered ? contents?.objects == before : Set(contents?.objects ?? []) == Set(before))
        members.endJournal()
      }
    }
  }

  private func change(
    _ members: ToManyMembers, _ reference: inout Reference, _ people: [NSManagedObject],
    _ random: inout SeededGenerator
  ) {
    guard let person = random.pick(people) else { return }
    switch random.number(0...11) {
    case 0...3:
      #expect(members.append(person) == !reference.present.contains(person))
      if !reference.present.contains(person) { reference.present.append(person) }
    case 4...6:
      #expect(members.remove(person) == reference.present.contains(person))
      reference.present.removeAll { $0 === person }
    case 7 where members.isOrdered:
      let index = random.number(0...reference.present.count)
      guard !reference.present.contains(person) else { return }
      #expect(members.insert(person, at: index))
      reference.present.insert(person, at: index)
    case 8 where members.isOrdered && reference.present.count > 1:
      let moved = reference.present.removeLast()
      members.move([reference.present.count], to: 0)
      reference.present.insert(moved, at: 0)
    case 9:
      members.commit()
      reference.stored = reference.present
    case 10:
      let present = Array(
        people.shuffled(using: &random).prefix(random.number(0...people.count)))
      members.replace(with: present)
      reference.present = present
    case 11 where reference.stored.contains(person) && reference.present.contains(person):
      members.exclude(person)
      reference.stored.removeAll { $0 === person }
      reference.present.removeAll { $0 === person }
    default: break
    }
  }

  private func check(_ members: ToManyMembers, _ reference: Reference, isOrdered: Bool) {
    #expect(Set(members.added) == reference.added)
    #expect(members.added.count == reference.added.count)
    #expect(Set(members.removedObjects) == reference.removed)
    #expect(members.removedObjects.count == reference.removed.count)
    #expect(Set(members.objects) == Set(reference.present))
    #expect(Set(members.committedObjects) == Set(reference.stored))
    if isOrdered {
      #expect(members.objects == reference.present)
      #expect(members.committedObjects == reference.stored)
    }
    let differs =
      isOrdered
      ? reference.present != reference.stored : Set(reference.present) != Set(reference.stored)
    #expect(members.hasChanges == differs)
  }
}
