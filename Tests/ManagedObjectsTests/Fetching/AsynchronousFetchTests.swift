import DataModels
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

/// Asynchronous fetches.
@Suite struct AsynchronousFetchTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator

  init() throws {
    folder = try TemporaryFolder()
    coordinator = try Library.coordinator(folder.file("store.sqlite"))
    let context = TestStore.context(coordinator)
    for name in ["a", "b"] { _ = Library.new("Tag", ["name": name], in: context) }
    try context.save()
  }

  @Test func resultsComeOnTheContextsQueue() throws {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    let done = DispatchSemaphore(value: 0)
    let names = Mutex<[String]>([])
    let request = NSAsynchronousFetchRequest(
      fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Tag")
    ) { result in
      names.withLock {
        $0 = (result.finalResult ?? []).compactMap { $0["name"] as? String }.sorted()
      }
      done.signal()
    }
    let result = try context.execute(request)
    #expect(result is NSAsynchronousFetchResult<NSManagedObject>)
    #expect(done.wait(timeout: .now() + 20) == .success)
    #expect(names.withLock { $0 } == ["a", "b"])
  }

  /// Packages rely on it: RxCoreData, for example.
  @Test func anOrdinaryRequestIsCarriedOutAtOnce() throws {
    let context = TestStore.context(coordinator)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    let result = try context.execute(request) as? NSAsynchronousFetchResult<NSManagedObject>
    #expect(result?.finalResult?.compactMap { $0["name"] as? String }.sorted() == ["a", "b"])
    #expect(result?.progress?.isFinished == true)
    // Casts between result types, which the Objective-C runtime doesn't check, are conversions.
    typealias Untyped = NSAsynchronousFetchResult<any NSFetchRequestResult>
    #expect(Untyped.converted(from: result)?.finalResult?.count == 2)
    #expect(Untyped.converted(from: NSPersistentStoreResult()) == nil)
    request.resultType = .countResultType
    let count = Untyped.converted(from: try context.execute(request))?.finalResult?.first
    #expect(count as? NSNumber == 2)
    request.resultType = .managedObjectResultType
    request.predicate = NSPredicate(format: "nothing == 1")
    #expect(throws: NSError.self) { try context.execute(request) }
  }

  @Test func aContextWithoutQueueRefuses() throws {
    let error = #expect(throws: NSError.self) {
      try TestStore.context(coordinator).execute(
        NSAsynchronousFetchRequest(
          fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Tag")))
    }
    #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
  }
}
