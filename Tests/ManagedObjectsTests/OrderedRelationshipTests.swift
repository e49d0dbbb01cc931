import DataModels
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// The set that proxies an ordered relationship.
@Suite struct OrderedRelationshipTests {
  private func tasks(_ count: Int, _ context: NSManagedObjectContext) -> [NSManagedObject] {
    (0..<count).map { number in
      let task = NSEntityDescription.insertNewObject(forEntityName: "Task", into: context)
      task["name"] = "\(number)"
      return task
    }
  }

  private func name(_ task: Any) -> String {
    (task as? NSManagedObject)?["name"] as? String ?? ""
  }

  private func check(_ set: NSMutableOrderedSet, _ list: [NSManagedObject], _ owner: PersonMO) {
    let wanted = list.map(ObjectIdentifier.init)
    #expect(owner.tasks.map(ObjectIdentifier.init) == wanted)
    #expect(set.count == list.count)
    let array = set.array.compactMap { $0 as? NSManagedObject }
    #expect(array.map(ObjectIdentifier.init) == wanted)
    let areRight = list.allSatisfy { set.contains($0) && $0["assignee"] as? PersonMO === owner }
    #expect(areRight)
  }

  /// Random changes, compared with the same ones of an array.
  @Test(arguments: 0..<20)
  func itFollowsAnArray(seed: UInt64) throws {
    let context = try Company.context()
    let owner = insert(PersonMO.self, "Person", context)
    let all = tasks(24, context)
    var random = SeededGenerator(seed: seed)
    var list: [NSManagedObject] = []
    for step in 0..<300 {
      let set = owner.mutableOrderedSetValue(forKey: "tasks")
      let task = all[Int.random(in: 0..<all.count, using: &random)]
      let place = Int.random(in: 0...list.count, using: &random)
      let inside = list.isEmpty ? nil : Int.random(in: 0..<list.count, using: &random)
      switch Int.random(in: 0..<14, using: &random) {
      case 0, 1:
        set.insert(task, at: place)
        if !list.contains(where: { $0 === task }) { list.insert(task, at: place) }
      case 2:
        set.add(task)
        if !list.contains(where: { $0 === task }) { list.append(task) }
      case 3:
        set.remove(task)
        list.removeAll { $0 === task }
      case 4:
        guard let inside else { continue }
        set.removeObject(at: inside)
        list.remove(at: inside)
      case 5:
        guard let inside, !list.contains(where: { $0 === task }) else { continue }
        set.replaceObject(at: inside, with: task)
        list[inside] = task
      case 6:
        guard let inside else { continue }
        let other = Int.random(in: 0..<list.count, using: &random)
        set.exchangeObject(at: inside, withObjectAt: other)
        list.swapAt(inside, other)
      case 7:
        guard let inside else { continue }
        let target = Int.random(in: 0..<list.count, using: &random)
        set.moveObjects(at: [inside], to: target)
        list.insert(list.remove(at: inside), at: target)
      case 8:
        let some = [task, all[0], task, all[1]]
        set.addObjects(from: some)
        for task in some where !list.contains(where: { $0 === task }) { list.append(task) }
      case 9:
        set.intersect(NSOrderedSet(array: [all[2]] + list.dropLast() + [all[3]]))
        if let last = list.last, last !== all[2], last !== all[3] { list.removeLast() }
      case 10:
        set.sort { self.name($0) < self.name($1) ? .orderedAscending : .orderedDescending }
        list.sort { name($0) < name($1) }
      case 11:
        set.sort(using: [NSSortDescriptor(key: "name", ascending: false)])
        list.sort { name($0) > name($1) }
      case 12:
        guard let inside else { continue }
        set.sortRange(NSRange(inside..<list.count)) {
          self.name($0) < self.name($1) ? .orderedAscending : .orderedDescending
        }
        list[inside...].sort { name($0) < name($1) }
      default:
        // Changes made without the set.
        task["assignee"] = nil
        list.removeAll { $0 === task }
        task["assignee"] = owner
        list.append(task)
      }
      check(set, list, owner)
      if step % 50 == 49 { context.processPendingChanges() }
      if step == 150 { try context.save() }
    }
  }

  /// The time grows linearly, not quadratically, with the number of changes.
  @Test func aChangeCostsNoMoreThanItself() throws {
    func seconds(_ count: Int, asksEachTime: Bool) throws -> Double {
      let context = try Company.context()
      let owner = insert(PersonMO.self, "Person", context)
      let made = tasks(count, context)
      let start = DispatchTime.now()
      let set = owner.mutableOrderedSetValue(forKey: "tasks")
      for task in made {
        let set = asksEachTime ? owner.mutableOrderedSetValue(forKey: "tasks") : set
        set.add(task)
      }
      for _ in 0..<count / 4 {
        set.insert(set.object(at: set.count - 1), at: 0)
        set.moveObjects(at: [0], to: 5)
        set.exchangeObject(at: 1, withObjectAt: 3)
        set.removeObject(at: 0)
      }
      return Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
    }
    for asksEachTime in [false, true] {
      // The shortest of several runs: other programs also use the processor.
      func shortest(_ count: Int) throws -> Double {
        try (0..<3).map { _ in try seconds(count, asksEachTime: asksEachTime) }.min() ?? 0
      }
      let (short, long) = (try shortest(500), try shortest(4000))
      // Eight times as many; quadratic time would be sixty times as long or more.
      #expect(long < 30 * short, "\(short) s, \(long) s")
    }
  }

  @Test func theSetsOfAnEventGoWithIt() throws {
    weak var owner: PersonMO?
    do {
      let context = try Company.context()
      let person = insert(PersonMO.self, "Person", context)
      owner = person
      let set = person.mutableOrderedSetValue(forKey: "tasks")
      set.add(tasks(1, context)[0])
      #expect(person.mutableOrderedSetValue(forKey: "tasks") === set)
      context.rollback()
    }
    #expect(owner == nil)
    do {
      let context = try Company.context()
      let person = insert(PersonMO.self, "Person", context)
      owner = person
      person.mutableOrderedSetValue(forKey: "tasks").add(tasks(1, context)[0])
    }
    #expect(owner == nil)
  }

  /// What changes the relationship otherwise is seen by a set that was got before.
  @Test func aSetShowsWhatOthersHaveChanged() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    let made = tasks(3, context)
    let set = person.mutableOrderedSetValue(forKey: "tasks")
    set.add(made[0])
    person.addObject(made[1], toRelationshipNamed: "tasks")
    #expect(set.contains(made[1]))
    #expect(set.index(of: made[1]) == 1)
    person.addObject(made[2], toRelationshipNamed: "tasks")
    var seen: [Any] = []
    set.enumerateObjects { object, _, _ in seen.append(object) }
    #expect(seen.count == 3)
    person.removeObject(made[0], fromRelationshipNamed: "tasks")
    #expect(!set.contains(made[0]) && set.index(of: made[0]) == NSNotFound)
    person.addObject(made[0], toRelationshipNamed: "tasks")
    person.mutableOrderedSetValue(forKey: "tasks").minus(NSOrderedSet(object: made[0]))
    #expect(
      person.mutableOrderedSetValue(forKey: "tasks").map { $0 as? NSObject } == [made[1], made[2]])
    set.minusSet([made[1]])
    #expect(person.mutableOrderedSetValue(forKey: "tasks").firstObject as? NSObject == made[2])
    person.addObject(made[0], toRelationshipNamed: "tasks")
    set.intersectSet([made[0]])
    #expect(set.array as? [NSObject] == [made[0]])
    try context.save()
    #expect(person.mutableOrderedSetValue(forKey: "tasks").array as? [NSObject] == [made[0]])
  }
}
