import DataModels
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

/// Reading through separate connections while others write.
@Suite struct ReaderPoolTests {
  private static var pooled: [AnyHashable: Any] { [NSPersistentStoreConnectionPoolMaxSizeKey: 4] }

  private func model() -> NSManagedObjectModel {
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    let cell = entity(
      "Cell",
      [
        attribute("number", .integer32AttributeType), attribute("value", .integer64AttributeType),
        photo,
      ])
    return NSManagedObjectModel(of: [cell])
  }

  private func open(
    _ url: URL, cells: Int = 0, options: [AnyHashable: Any]? = pooled
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = try TestStore.coordinator(model(), at: url, options: options)
    let context = TestStore.context(coordinator)
    for number in 0..<cells { make(number, in: context) }
    try context.save()
    return coordinator
  }

  @discardableResult
  private func make(
    _ number: Int, value: Int = 0, in context: NSManagedObjectContext
  ) -> NSManagedObject {
    let cell = NSEntityDescription.insertNewObject(forEntityName: "Cell", into: context)
    (cell["number"], cell["value"]) = (number, value)
    return cell
  }

  private func request(_ format: String? = nil) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Cell")
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    request.predicate = format.map { NSPredicate(format: $0) }
    return request
  }

  /// Runs each block on its own thread, and waits for all.
  private func threads(_ blocks: [@Sendable () -> Void]) {
    let group = DispatchGroup()
    for block in blocks {
      group.enter()
      let thread = Thread {
        block()
        group.leave()
      }
      thread.stackSize = 4 << 20
      thread.start()
    }
    group.wait()
  }

  @Test func whoWritesSeesIt() throws {
    let folder = try TemporaryFolder()
    let coordinator = try open(folder.file("Cells.sqlite"), cells: 3)
    let (writer, reader) = (TestStore.context(coordinator), TestStore.context(coordinator))
    for step in 1...20 {
      for cell in try writer.fetch(request("number < 3")) { cell["value"] = step }
      make(step + 100, value: step, in: writer)
      try writer.save()
      #expect(try writer.count(for: request()) == 3 + step)
      reader.reset()
      #expect(try reader.fetch(request("number < 3")).allSatisfy { $0["value"] as? Int == step })
      #expect(try reader.count(for: request("value == \(step)")) == 4)
    }
  }

  @Test func readersWaitForNobody() throws {
    let folder = try TemporaryFolder()
    let coordinator = try open(folder.file("Cells.sqlite"), cells: 10, options: nil)
    let count = Mutex(0)
    try coordinator.performAndWait {
      // Another thread reads what was saved while this one holds the stores' lock.
      let context = TestStore.context(coordinator)
      make(10, in: context)
      try context.save()
      threads([
        { [self] in
          let found = try? TestStore.context(coordinator).count(for: request())
          count.withLock { $0 = found ?? -1 }
        }
      ])
      #expect(coordinator.storesLock.wasContended)
    }
    #expect(count.withLock { $0 } == 11)
  }

  @Test func oneThreadOpensNoConnection() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("Cells.sqlite")
    let coordinator = try open(file, cells: 10, options: nil)
    #expect(try TestStore.context(coordinator).count(for: request()) == 10)
    #expect(!coordinator.storesLock.wasContended)
    #expect(connections(to: file) == 1)
  }

  private func connections(to file: URL) -> Int {
    let folder = "/proc/self/fd"
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return entries.count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == file.path
    }
  }

  @Test func aRemovedStoreIsClosedOnceItsReadersAreThrough() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("Cells.sqlite")
    let coordinator = try open(file, cells: 2_000)
    let reads = Atomic<Int>(0)
    let isOver = Atomic<Bool>(false)
    let oddities = Mutex<[String]>([])
    let read: @Sendable () -> Void = { [self] in
      while !isOver.load(ordering: .acquiring) {
        let context = TestStore.context(coordinator)
        guard let found = try? context.fetch(request()) else { continue }
        // All rows, or none if the store is gone.
        if found.count != 2_000, !found.isEmpty {
          oddities.withLock { $0.append("\(found.count)") }
        }
        reads.add(1, ordering: .relaxed)
      }
    }
    let remove: @Sendable () -> Void = {
      while reads.load(ordering: .relaxed) < 4 { Thread.sleep(forTimeInterval: 0.001) }
      for store in coordinator.persistentStores { try? coordinator.remove(store) }
      isOver.store(true, ordering: .releasing)
    }
    threads([read, read, remove])
    #expect(oddities.withLock { $0 } == [])
    #expect(connections(to: file) == 0)
    #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
  }

  @Test func anotherFileInThePlaceOfTheStoreIsNotRead() throws {
    let folder = try TemporaryFolder()
    let (file, other) = (folder.file("Cells.sqlite"), folder.file("Other.sqlite"))
    let coordinator = try open(file, cells: 3)
    for store in try open(other, cells: 7).persistentStores {
      try store.persistentStoreCoordinator?.remove(store)
    }
    try FileManager.default.removeItem(at: file)
    try FileManager.default.moveItem(at: other, to: file)
    #expect(try TestStore.context(coordinator).count(for: request()) == 3)
  }

  @Test(arguments: ["delete", "wal"]) func otherJournalsHaveNoReaders(mode: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("Cells.sqlite")
    let coordinator = try open(
      file, cells: 3,
      options: [
        NSPersistentStoreConnectionPoolMaxSizeKey: 2,
        NSSQLitePragmasOption: ["journal_mode": mode],
      ])
    let context = TestStore.context(coordinator)
    #expect(try context.count(for: request()) == 3)
    #expect(connections(to: file) == (mode == "wal" ? 2 : 1))
    make(4, in: context)
    try context.save()
    #expect(try TestStore.context(coordinator).count(for: request()) == 4)
  }

  @Test func noConnectionIsOpenedWhereNoneIsAllowed() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("Cells.sqlite")
    let coordinator = try open(
      file, cells: 3, options: [NSPersistentStoreConnectionPoolMaxSizeKey: 0])
    let count = Mutex(0)
    let read: @Sendable () -> Void = { [self] in
      let found = (try? TestStore.context(coordinator).count(for: request())) ?? -100
      count.withLock { $0 += found }
    }
    threads([read, read, read])
    #expect(count.withLock { $0 } == 9)
    #expect(connections(to: file) == 1)
  }

  /// One thread writes all cells in each save. The others see each save completely or not at all, never less than
  /// what was saved before their read began, and never more than what was started before it ended.
  @Test(arguments: [true, false]) func savesAreSeenWholeAndInTheirOrder(isPooled: Bool) throws {
    let folder = try TemporaryFolder()
    let coordinator = try open(
      folder.file("Cells.sqlite"), cells: 100, options: isPooled ? Self.pooled : nil)
    let begun = Atomic<Int>(0)
    let saved = Atomic<Int>(0)
    let isOver = Atomic<Bool>(false)
    let oddities = Mutex<[String]>([])
    @Sendable func note(_ text: String) { oddities.withLock { $0.append(text) } }
    let write: @Sendable () -> Void = { [self] in
      let context = TestStore.context(coordinator)
      do {
        for step in 1...25 {
          for cell in try context.fetch(request("number < 100")) {
            cell["value"] = step
            if cell["number"] as? Int == 0 {
              cell["photo"] = Data(repeating: UInt8(step), count: 150_000)
            }
          }
          make(100 + step, value: step, in: context)
          begun.store(step, ordering: .sequentiallyConsistent)
          try context.save()
          saved.store(step, ordering: .sequentiallyConsistent)
          if context.registeredObjects.count != 100 + step { context.reset() }
          let own = try context.count(for: request("value == \(step)"))
          if own != 101 { note("the writer finds \(own) of its own") }
        }
      } catch { note("\(error)") }
      isOver.store(true, ordering: .sequentiallyConsistent)
    }
    let identities = try TestStore.context(coordinator).fetch(request()).map(\.objectID)
    let read: @Sendable (Int) -> Void = { [self] kind in
      var last = 0
      func check(_ values: [Int], _ low: Int, _ what: String) {
        let high = begun.load(ordering: .sequentiallyConsistent)
        let (least, most) = (values.min() ?? -1, values.max() ?? -1)
        if least < max(low, last) || most > high || least != most {
          note("\(what): \(least) to \(most), between \(low) and \(high), after \(last)")
        }
        last = max(last, most)
      }
      repeat {
        let low = saved.load(ordering: .sequentiallyConsistent)
        let context = TestStore.context(coordinator)
        do {
          switch kind {
          case 0:
            let cells = try context.fetch(request("number < 100"))
            if cells.count != 100 { note("\(cells.count) cells") }
            check(cells.compactMap { $0["value"] as? Int }, low, "fetch")
          case 1:
            let cell = try context.existingObject(with: identities[0])
            guard let value = cell["value"] as? Int else { continue }
            check([value], low, "row")
            if value > 0, (cell["photo"] as? Data)?.first != UInt8(value) {
              note("the photograph of \(value) is another's")
            }
          case 2:
            let count = try context.count(for: request("number >= 100"))
            check([count], low, "count")
          default:
            let request = NSFetchRequest<NSDictionary>(entityName: "Cell")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["value"]
            request.predicate = NSPredicate(format: "number < 100")
            check(try context.fetch(request).compactMap { $0["value"] as? Int }, low, "values")
          }
        } catch { note("\(error)") }
      } while !isOver.load(ordering: .sequentiallyConsistent)
    }
    threads([write] + (0..<4).map { kind in { @Sendable in read(kind) } })
    #expect(oddities.withLock { Array($0.prefix(10)) } == [])
  }
}
