import DataModels
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// How containers open what is described to them.
@Suite struct ContainerLoadingTests {
  private func container(
    _ descriptions: [NSPersistentStoreDescription]
  ) -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Shelf", managedObjectModel: Shelf.model())
    container.persistentStoreDescriptions = descriptions
    return container
  }

  /// The order of the stores decides where new objects go; it doesn't depend on which store is opened faster.
  @Test func asynchronousStoresComeLast() throws {
    let folder = try TemporaryFolder()
    let names = ["a", "b", "c", "d"]
    let descriptions = names.map {
      NSPersistentStoreDescription(url: folder.file("\($0).sqlite"))
    }
    for index in [0, 2] { descriptions[index].shouldAddStoreAsynchronously = true }
    let container = container(descriptions)
    let lock = NSLock()
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var opened: [NSPersistentStoreDescription] = []
    nonisolated(unsafe) var errors = 0
    container.loadPersistentStores { description, error in
      lock.withLock {
        opened.append(description)
        if error != nil { errors += 1 }
      }
      done.signal()
    }
    for _ in names { #expect(done.wait(timeout: .now() + 60) == .success) }
    let stores = container.persistentStoreCoordinator.persistentStores
    #expect(
      stores.map { $0.url?.lastPathComponent } == ["b.sqlite", "d.sqlite", "a.sqlite", "c.sqlite"])
    // The program's own descriptions, by which it knows them again.
    let expected = [1, 3, 0, 2].map { ObjectIdentifier(descriptions[$0]) }
    let order = lock.withLock { opened.map { ObjectIdentifier($0) } }
    #expect(order == expected)
    #expect(errors == 0)
  }

  /// What the program changes once it has asked for the stores has no effect on them.
  @Test func storesAreOpenedAsTheyWereDescribed() throws {
    let folder = try TemporaryFolder()
    let descriptions = ["a", "b"].map {
      NSPersistentStoreDescription(url: folder.file("\($0).sqlite"))
    }
    let container = container(descriptions)
    nonisolated(unsafe) var count = 0
    container.loadPersistentStores { _, error in
      #expect(error == nil)
      descriptions[1].url = folder.file("c.sqlite")
      container.persistentStoreDescriptions = []
      count += 1
    }
    #expect(count == 2)
    let stores = container.persistentStoreCoordinator.persistentStores
    #expect(stores.map { $0.url?.lastPathComponent } == ["a.sqlite", "b.sqlite"])
  }

  /// A subclass that doesn't copy itself is used as it is.
  @Test func aDescriptionsOverridesCount() throws {
    final class ReadingDescription: NSPersistentStoreDescription, @unchecked Sendable {
      override var options: [String: NSObject] {
        super.options.merging([NSReadOnlyPersistentStoreOption: NSNumber(value: true)]) { $1 }
      }
    }
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    _ = try Shelf.coordinator(url)
    let container = container([ReadingDescription(url: url)])
    container.loadPersistentStores { #expect($1 == nil) }
    #expect(container.persistentStoreCoordinator.persistentStores.first?.isReadOnly == true)
  }
}
