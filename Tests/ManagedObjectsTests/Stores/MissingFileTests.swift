import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Values whose files are missing, as when a store was restored without its hidden folder, and files that aren't
/// referenced.
@Suite struct MissingFileTests {
  private func files(_ folder: TemporaryFolder) throws -> [String] {
    let place = folder.file(".a_SUPPORT/_EXTERNAL_DATA").path
    return try FileManager.default.contentsOfDirectory(atPath: place).map { "\(place)/\($0)" }
  }

  /// Creates three books with covers in files, and removes the file of the second.
  private func makeBooks(_ folder: TemporaryFolder) throws -> NSPersistentStoreCoordinator {
    let coordinator = try Shelf.coordinator(folder.file("a.sqlite"))
    let writer = Shelf.context(coordinator)
    for title in ["a", "b", "c"] {
      Shelf.book(title, writer)["cover"] = Data(repeating: title.utf8.first ?? 0, count: 300_000)
    }
    try writer.save()
    for file in try files(folder)
    where try Data(contentsOf: URL(fileURLWithPath: file)).first == UInt8(ascii: "b") {
      try FileManager.default.removeItem(atPath: file)
    }
    return coordinator
  }

  @Test func itsObjectIsReadChangedAndDeletedWithoutIt() throws {
    let folder = try TemporaryFolder()
    let context = Shelf.context(try makeBooks(folder))
    let request = Shelf.request()
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let books = try context.fetch(request)
    #expect(books.map { $0["title"] as? String } == ["a", "b", "c"])
    #expect(books.map { ($0["cover"] as? Data)?.count } == [300_000, nil, 300_000])
    books[1]["title"] = "bb"
    try context.save()
    context.refreshAllObjects()
    #expect(books[1]["title"] as? String == "bb")
    books[1]["cover"] = Data(count: 200_000)
    try context.save()
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
    #expect(try files(folder).count == 3)
  }

  @Test(arguments: [false, true])
  func itsDictionaryIsWithoutIt(isReadOnly: Bool) throws {
    let folder = try TemporaryFolder()
    var coordinator = try makeBooks(folder)
    if isReadOnly {
      try coordinator.remove(coordinator.persistentStores[0])
      coordinator = try TestStore.coordinator(
        Shelf.model(), at: folder.file("a.sqlite"), type: NSSQLiteStoreType,
        options: [NSReadOnlyPersistentStoreOption: true])
    }
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["title", "cover"]
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let books = try Shelf.context(coordinator).fetch(request)
    #expect(books.map { $0["title"] as? String } == ["a", "b", "c"])
    #expect(books.map { ($0["cover"] as? Data)?.count } == [300_000, nil, 300_000])
  }

  @Test func itsObjectIsDeletedWithoutIt() throws {
    let folder = try TemporaryFolder()
    let context = Shelf.context(try makeBooks(folder))
    for book in try context.fetch(Shelf.request()) where book["cover"] == nil {
      context.delete(book)
    }
    try context.save()
    #expect(try context.count(for: Shelf.request()) == 2)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// A copy without the value would lose the file's name too, although a backup may still have the file.
  @Test func nothingIsCopiedWithoutIt() throws {
    let folder = try TemporaryFolder()
    let coordinator = try makeBooks(folder)
    let error = #expect(throws: NSError.self) {
      try coordinator.migratePersistentStore(
        coordinator.persistentStores[0], to: folder.file("b"), options: nil,
        withType: NSInMemoryStoreType)
    }
    #expect(error?.localizedDescription.contains("_EXTERNAL_DATA") == true)
    #expect(coordinator.persistentStores.map(\.type) == [NSSQLiteStoreType])
    #expect(try Shelf.context(coordinator).fetch(Shelf.request()).count == 3)
  }

  @Test func aPinnedContextReadsItsObjectWithoutIt() throws {
    let folder = try TemporaryFolder()
    let context = Shelf.context(try makeBooks(folder))
    try context.setQueryGenerationFrom(.current)
    let covers = try context.fetch(Shelf.request()).map { ($0["cover"] as? Data)?.count }
    #expect(covers == [300_000, nil, 300_000])
  }

  /// The value isn't lost, but what a pinned context would read isn't what it is pinned to.
  @Test(arguments: [false, true])
  func aPinnedContextDoesNotTakeAReplacedValueForALostOne(isDeletion: Bool) throws {
    let folder = try TemporaryFolder()
    let coordinator = try makeBooks(folder)
    let (reader, writer) = (Shelf.context(coordinator), Shelf.context(coordinator))
    try reader.setQueryGenerationFrom(.current)
    #expect(try reader.count(for: Shelf.request()) == 3)
    let old = try #require(
      try files(folder).first {
        try Data(contentsOf: URL(fileURLWithPath: $0)).first == UInt8(ascii: "a")
      })
    let book = try #require(try writer.fetch(Shelf.request()).first)
    if isDeletion { writer.delete(book) } else { book["cover"] = Data(count: 200_000) }
    try writer.save()
    // As another process would have.
    try FileManager.default.removeItem(atPath: old)
    #expect(throws: NSError.self) { try reader.fetch(Shelf.request()) }
    try reader.setQueryGenerationFrom(nil)
    #expect(try reader.fetch(Shelf.request()).count == (isDeletion ? 2 : 3))
  }

  @Test func aStoreForOneConnectionIsReadWithoutIt() throws {
    let folder = try TemporaryFolder()
    let coordinator = try makeBooks(folder)
    try coordinator.remove(coordinator.persistentStores[0])
    let options: [AnyHashable: Any] = [
      NSSQLitePragmasOption: ["locking_mode": "EXCLUSIVE"], NSPersistentStoreTimeoutOption: 5,
    ]
    let context = Shelf.context(
      try TestStore.coordinator(Shelf.model(), at: folder.file("a.sqlite"), options: options))
    Shelf.book("d", context)
    try context.save()
    context.reset()
    let covers = try context.fetch(Shelf.request()).map { ($0["cover"] as? Data)?.count }
    #expect(covers == [300_000, nil, 300_000, nil])
  }

  #if os(Linux)
    /// The files that the process has mapped. Foundation mistakes the first page of such a list for all of it.
    private static func mappings() -> String {
      guard let stream = InputStream(fileAtPath: "/proc/self/maps") else { return "" }
      stream.open()
      defer { stream.close() }
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = stream.read(&piece, maxLength: piece.count)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += piece[..<count]
      }
    }

    @Test func whatNobodyLooksAtIsNotRead() throws {
      let folder = try TemporaryFolder()
      let coordinator = try makeBooks(folder)
      let context = Shelf.context(coordinator)
      let books = try context.fetch(Shelf.request())
      let mappings = Self.mappings()
      let areMapped = try files(folder).allSatisfy(mappings.contains)
      #expect(areMapped)
      #expect(books.compactMap { $0["cover"] as? Data }.map(\.count) == [300_000, 300_000])
    }
  #endif
}
