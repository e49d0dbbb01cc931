import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores beside each other whose names differ only in their extensions, and whose large values are in one folder.
@Suite struct SharedFolderTests {
  private let folder: TemporaryFolder
  private let (first, second): (URL, URL)
  private let cover = Data(repeating: 7, count: 300_000)

  init() throws {
    folder = try TemporaryFolder()
    (first, second) = (folder.file("Library.sqlite"), folder.file("Library.store"))
  }

  /// A store with a book, moved within the folder; the old one stays.
  private func move() throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
    let coordinator = try Shelf.coordinator(first)
    let context = Shelf.context(coordinator)
    Shelf.book("a", context)["cover"] = cover
    try context.save()
    context.reset()
    try coordinator.migratePersistentStore(
      coordinator.persistentStores[0], to: second, withType: NSSQLiteStoreType)
    return (coordinator, context)
  }

  private func covers(at url: URL) throws -> [Data?] {
    let context = Shelf.context(try Shelf.coordinator(url))
    return try context.fetch(Shelf.request()).map { $0["cover"] as? Data }
  }

  @Test(arguments: [false, true]) func destroyingOneLeavesTheOthersValues(destroysOld: Bool) throws
  {
    let (coordinator, _) = try move()
    let (gone, left) = destroysOld ? (first, second) : (second, first)
    if !destroysOld { try coordinator.remove(coordinator.persistentStores[0]) }
    try coordinator.destroyPersistentStore(at: gone, ofType: NSSQLiteStoreType)
    #expect(try covers(at: left) == [cover])
    // The last one takes the folder with it.
    if destroysOld { try coordinator.remove(coordinator.persistentStores[0]) }
    try coordinator.destroyPersistentStore(at: left, ofType: NSSQLiteStoreType)
    #expect(!FileManager.default.fileExists(atPath: folder.file(".Library_SUPPORT").path))
  }

  @Test(arguments: [false, true]) func aSaveLeavesTheOthersValues(isDeletion: Bool) throws {
    let (_, context) = try move()
    let book = try #require(try context.fetch(Shelf.request()).first)
    if isDeletion { context.delete(book) } else { book["cover"] = Data(count: 200_000) }
    try context.save()
    #expect(try covers(at: first) == [cover])
    #expect(try covers(at: second) == (isDeletion ? [] : [Data(count: 200_000)]))
  }

  @Test func replacingOneLeavesTheOthersValues() throws {
    let (coordinator, _) = try move()
    let other = folder.file("Other.sqlite")
    do {
      let context = Shelf.context(try Shelf.coordinator(other))
      Shelf.book("b", context)["cover"] = Data(count: 200_000)
      try context.save()
    }
    // What an interrupted copy has left isn't taken for a value.
    let place = folder.file(".Library_SUPPORT/_EXTERNAL_DATA")
    let name = try #require(
      try FileManager.default.contentsOfDirectory(
        atPath: folder.file(".Other_SUPPORT/_EXTERNAL_DATA").path
      ).first)
    try Data(count: 10).write(to: place.appendingPathComponent(".\(name).copy"))
    try coordinator.replacePersistentStore(
      at: second, withPersistentStoreFrom: other, ofType: NSSQLiteStoreType)
    #expect(try covers(at: second) == [Data(count: 200_000)])
    #expect(try covers(at: first) == [cover])
    let hidden = try FileManager.default.contentsOfDirectory(atPath: place.path)
    #expect(hidden.allSatisfy { !$0.hasPrefix(".") })
  }

  /// A store alone has nobody's files but its own.
  @Test func aStoreAloneKeepsNoOldValues() throws {
    let context = Shelf.context(try Shelf.coordinator(first))
    let book = Shelf.book("a", context)
    for count in [200_000, 300_000] {
      book["cover"] = Data(count: count)
      try context.save()
    }
    let place = folder.file(".Library_SUPPORT/_EXTERNAL_DATA").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: place).count == 1)
  }
}
