import Foundation
import MomKit
import Testing

@testable import ManagedObjects

/// The store commands with XML and binary stores, which contain no copy of their models.
@Suite struct WholeFileStoreCommandTests {
  private static let source = """
    <model><entity name="Writer">
      <attribute name="name" attributeType="String"/>
      <relationship name="books" optional="YES" toMany="YES" ordered="YES" destinationEntity="Book" \
    inverseName="writer" inverseEntity="Writer"/>
      <relationship name="friends" optional="YES" toMany="YES" destinationEntity="Writer" \
    inverseName="friends" inverseEntity="Writer"/>
    </entity><entity name="Book">
      <attribute name="pages" optional="YES" attributeType="Integer 64"/>
      <attribute name="cover" optional="YES" attributeType="Binary"/>
      <relationship name="writer" optional="YES" maxCount="1" destinationEntity="Writer" \
    inverseName="books" inverseEntity="Book"/>
    </entity></model>
    """

  private static func write(_ contents: String, _ name: String, in folder: URL) throws {
    let model = folder.appendingPathComponent("\(name).xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Data(contents.utf8).write(to: model.appendingPathComponent("contents"))
  }

  /// A store with two writers who are friends, and three books by the first, in a particular order.
  private static func store(_ type: String, in folder: URL) throws {
    try write(source, "Library", in: folder)
    #expect(try Tool.run("compile", "Library.xcdatamodel", in: folder).status == 0)
    let model = try NSManagedObjectModel(
      loading: folder.appendingPathComponent("Library.mom").path)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: folder.appendingPathComponent("library.store"))
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    func made(_ entity: String) -> NSManagedObject {
      NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }
    let writers = ["Ada", "Bo"].map { name in
      let writer = made("Writer")
      writer["name"] = name
      return writer
    }
    writers[0].mutableSetValue(forKey: "friends").add(writers[1])
    for pages in [300, 100, 200] {
      let book = made("Book")
      book["pages"] = pages
      writers[0].mutableOrderedSetValue(forKey: "books").add(book)
    }
    try context.save()
  }

  @Test(arguments: [NSXMLStoreType, NSBinaryStoreType])
  func theyAreReadWithTheirModel(type: String) throws {
    try Tool.withTemporaryFolder { folder in
      try Self.store(type, in: folder)
      let bytes = try Data(contentsOf: folder.appendingPathComponent("library.store"))
      func run(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.run(
          arguments: ["store"] + arguments + ["--model", "Library.xcdatamodel"], in: folder)
      }
      let info = try run("info", "library.store")
      #expect(info.status == 0, "\(info.errors)")
      #expect(info.text.contains("type         \(type)\n"), "\(info.text)")
      #expect(
        info.text.contains("model cache  no\n") && info.text.hasSuffix("Book    3\nWriter  2\n"))
      let ordered = try run(
        "fetch", "library.store", "Writer", "--where", "books.@count > 0", "--columns",
        "books,friends,name",
        "--format", "jsonl")
      let writer = try #require(
        try JSONSerialization.jsonObject(with: ordered.output) as? [String: Any])
      let books = try #require(writer["books"] as? [String])
      #expect(writer["name"] as? String == "Ada" && books.count == 3)
      #expect((writer["friends"] as? [String])?.count == 1)
      let pages = try books.map { name in
        try run(
          "fetch", "library.store", "Book", "--where", "SELF == \"\(name)\"", "--columns", "pages",
          "--format", "csv"
        ).text
      }
      #expect(
        pages == zip(books, [300, 100, 200]).map { "object,pages\r\n\($0),\($1)\r\n" })
      let export = try run("export", "library.store", "--format", "jsonl")
      #expect(export.status == 0 && export.text.split(separator: "\n").count == 5)
      let check = try run("check", "library.store")
      #expect(check.status == 0 && check.text.isEmpty, "\(check.text)\(check.errors)")
      let history = try run("history", "library.store")
      #expect(history.errors == "library.store: warning: the store has no history\n")
      let views = try run("views", "library.store", "--output", "views.sqlite")
      #expect(views.status == 0, "\(views.errors)")
      #expect(try Tool.run("store", "check", "views.sqlite", in: folder).status == 0)
      let found = try Tool.run("identify", "library.store", "Library.xcdatamodel", in: folder)
      #expect(found.text == "library.store: created with Library.xcdatamodel\n", "\(found.errors)")
      #expect(
        try Data(contentsOf: folder.appendingPathComponent("library.store")) == bytes)
    }
  }

  @Test(arguments: [NSXMLStoreType, NSBinaryStoreType])
  func theyMigrate(type: String) throws {
    try Tool.withTemporaryFolder { folder in
      try Self.store(type, in: folder)
      try Self.write(
        Self.source.replacing(
          "<attribute name=\"name\" attributeType=\"String\"/>",
          with: "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>"),
        "Next", in: folder)
      func run(_ more: String...) throws -> Tool.Outcome {
        try Tool.run(
          arguments: [
            "store", "migrate", "library.store", "--model", "Library.xcdatamodel", "--to",
            "Next.xcdatamodel",
          ] + more, in: folder)
      }
      let refused = try run()
      #expect(refused.status == 1)
      #expect(
        refused.errors.contains("would be lost: Writer.name of 2 objects"), "\(refused.errors)")
      let copied = try run("--allow-data-loss", "--output", "copy.store")
      #expect(copied.status == 0, "\(copied.errors)")
      let done = try run("--allow-data-loss")
      #expect(done.status == 0, "\(done.errors)")
      #expect(done.text == "migrated to Next.xcdatamodel\nBook    3\nWriter  2\n")
      for name in ["library.store", "copy.store"] {
        let found = try Tool.run("identify", name, "Next.xcdatamodel", in: folder)
        #expect(found.status == 0, "\(found.text)\(found.errors)")
      }
    }
  }

  @Test func whatToDoWithoutAModelIsSaid() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.store(NSXMLStoreType, in: folder)
      let words = "an XML store, which has no copy of its model; "
      for arguments in [
        ["store", "info"], ["store", "check"], ["store", "export"], ["dump"], ["store", "schema"],
      ] {
        let run = try Tool.run(arguments: arguments + ["library.store"], in: folder)
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("library.store: error: \(words)"), "\(run.errors)")
      }
      try Self.write("<model><entity name=\"Other\"/></model>", "Other", in: folder)
      let other = try Tool.run(
        "store", "info", "library.store", "--model", "Other.xcdatamodel", in: folder)
      #expect(other.status == 2)
      #expect(other.errors.contains("no version of the model has the store's version hashes"))
      try Data("<?xml version=\"1.0\"?>\n<database><databaseInfo>".utf8)
        .write(to: folder.appendingPathComponent("cut.store"))
      let cut = try Tool.run(
        "store", "info", "cut.store", "--model", "Library.xcdatamodel", in: folder)
      #expect(cut.status == 2 && cut.errors.hasPrefix("cut.store: error: "), "\(cut.errors)")
      #expect(!cut.errors.contains("NSCocoaErrorDomain"))
    }
  }
}
