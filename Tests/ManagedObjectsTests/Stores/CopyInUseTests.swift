import DataModels
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

/// Copies of a store that is being written: the rows of a moment, and the files that they name.
@Suite struct CopyInUseTests {
  @Test func valuesInFilesAreCopiedWithTheirRows() throws {
    let folder = try TemporaryFolder()
    let (live, backup) = (folder.file("live.sqlite"), folder.file("backup.sqlite"))
    let coordinator = try Shelf.coordinator(live)
    let first = Shelf.context(coordinator)
    Shelf.book("a", first)["cover"] = Data(count: 150_000)
    try first.save()
    let isOver = Atomic<Bool>(false)
    let problems = Mutex<[String]>([])
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      defer { done.signal() }
      let context = Shelf.context(coordinator)
      var number: UInt8 = 0
      while !isOver.load(ordering: .acquiring) {
        do {
          for book in try context.fetch(Shelf.request()) {
            book["cover"] = Data(repeating: number, count: 150_000)
          }
          try context.save()
          number &+= 1
        } catch {
          problems.withLock { $0.append("\(error)") }
          return
        }
      }
    }
    for _ in 0..<40 {
      try NSPersistentStoreCoordinator(managedObjectModel: Shelf.model()).replacePersistentStore(
        at: backup, withPersistentStoreFrom: live, type: .sqlite)
      let reader = Shelf.context(try Shelf.coordinator(backup))
      let covers = try reader.fetch(Shelf.request()).map { ($0["cover"] as? Data)?.count }
      #expect(covers == [150_000])
      try TestStore.close(reader)
    }
    isOver.store(true, ordering: .releasing)
    done.wait()
    #expect(problems.withLock { $0 } == [])
    // A file that the writer has just begun may be copied, too, until the next copy.
    #expect(try StoreCheck.findings(at: backup).filter { $0.rule != .externalUnreferenced } == [])
  }
}
