import Foundation
import MomKit
import TestSupport
import Testing

@testable import ManagedObjects

/// `momtool store migrate`: losses are counted, and require confirmation.
@Suite struct StoreMigrationTests {
  private func write(_ contents: String, _ name: String, in folder: URL) throws {
    let model = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Data("<model>\(contents)</model>".utf8).write(
      to: model.appendingPathComponent("contents"))
  }

  private let note = "<attribute name=\"note\" optional=\"YES\" attributeType=\"String\"/>"
  private let title = "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>"

  /// A bundle of three versions, the second without an entity, the third without an attribute, and a store of the
  /// first version with two books and a page.
  private func store(in folder: URL) throws -> String {
    try write(
      "<entity name=\"Book\">\(title)\(note)</entity><entity name=\"Page\">\(note)</entity>",
      "Shelf.xcdatamodeld/V1.xcdatamodel", in: folder)
    try write(
      "<entity name=\"Book\">\(title)\(note)</entity>", "Shelf.xcdatamodeld/V2.xcdatamodel",
      in: folder)
    try write(
      "<entity name=\"Book\">\(title)</entity><entity name=\"Page\">\(note)</entity>",
      "Shelf.xcdatamodeld/V3.xcdatamodel", in: folder)
    try Data(OrderSource.pointer("V2").utf8).write(
      to: folder.appendingPathComponent("Shelf.xcdatamodeld/.xccurrentversion"))
    let store = folder.appendingPathComponent("shelf.sqlite")
    #expect(
      try Tool.run("store", "create", "Shelf.xcdatamodeld@V1", "shelf.sqlite", in: folder).status
        == 0)
    try SQLiteConnection(writing: store, creation: .existing).execute(
      "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZNOTE) VALUES (1, 1, 1, 'a', 'x'), (2, 1, 1, 'b', NULL);"
        + "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1);"
        + "UPDATE Z_PRIMARYKEY SET Z_MAX = 2")
    return store.path
  }

  @Test func whatWouldBeLostIsCountedAndRefused() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try store(in: folder)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: store))
      let refused = try Tool.run(
        "store", "migrate", "shelf.sqlite", "--to", "Shelf.xcdatamodeld", in: folder)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("would be lost: 1 object of Page: "), "\(refused.errors)")
      #expect(
        refused.errors.contains("nothing was changed; use --allow-data-loss to migrate anyway"))
      let attribute = try Tool.run(
        "store", "migrate", "shelf.sqlite", "--to", "Shelf.xcdatamodeld@V3", in: folder)
      #expect(attribute.status == 1)
      #expect(attribute.errors.contains("would be lost: Book.note of 1 object: "))
      let trial = try Tool.run(
        "store", "migrate", "shelf.sqlite", "--to", "Shelf.xcdatamodeld", "--dry-run", in: folder)
      #expect(
        trial.status == 1 && trial.errors.contains("warning: would be lost: 1 object of Page"))
      #expect(trial.text.contains("it would contain these objects\n"))
      let allowing = try Tool.run(
        "store", "migrate", "shelf.sqlite", "--to", "Shelf.xcdatamodeld", "--dry-run",
        "--allow-data-loss", in: folder)
      #expect(allowing.status == 0, "\(allowing.errors)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes)
      let allowed = try Tool.run(
        "store", "migrate", "shelf.sqlite", "--to", "Shelf.xcdatamodeld", "--allow-data-loss",
        in: folder)
      #expect(allowed.status == 0, "\(allowed.errors)")
      #expect(allowed.text == "migrated to Shelf.xcdatamodeld@V2\nBook  2\n")
    }
  }

  @Test func whatHoldsNothingIsNoLoss() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try store(in: folder)
      try SQLiteConnection(writing: URL(fileURLWithPath: store), creation: .existing).execute(
        "DELETE FROM ZPAGE; UPDATE ZBOOK SET ZNOTE = NULL")
      let run = try Tool.run(
        "store", "migrate", "shelf.sqlite", "--to", "Shelf.xcdatamodeld@V3", in: folder)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      #expect(run.text == "migrated to Shelf.xcdatamodeld@V3\nBook  2\nPage  0\n")
    }
  }

  /// Only objects of entities that lose a property lose its value.
  @Test func lossesAreThoseOfTheEntitiesConcerned() throws {
    try Tool.withTemporaryFolder { folder in
      let above =
        "<entity name=\"Root\"/><entity name=\"A\" parentEntity=\"Root\">\(note)</entity>"
      for (name, parent) in [("One", "A"), ("Two", "Root")] {
        try write(
          above + "<entity name=\"B\" parentEntity=\"\(parent)\"/>", "\(name).xcdatamodel",
          in: folder)
      }
      #expect(
        try Tool.run("store", "create", "One.xcdatamodel", "a.sqlite", in: folder).status == 0)
      let store = try SQLiteConnection(
        writing: folder.appendingPathComponent("a.sqlite"), creation: .existing)
      func migrate() throws -> Tool.Outcome {
        try Tool.run(
          "store", "migrate", "a.sqlite", "--to", "Two.xcdatamodel", "--output",
          "\(UUID()).sqlite", in: folder)
      }
      try store.execute(
        "INSERT INTO ZROOT (Z_PK, Z_ENT, Z_OPT, ZNOTE) VALUES (1, 2, 1, 'x'), (2, 2, 1, 'y');"
          + "UPDATE Z_PRIMARYKEY SET Z_MAX = 3")
      let fine = try migrate()
      #expect(fine.status == 0 && fine.errors.isEmpty, "\(fine.errors)")
      try store.execute("INSERT INTO ZROOT (Z_PK, Z_ENT, Z_OPT, ZNOTE) VALUES (3, 3, 1, 'z')")
      let refused = try migrate()
      #expect(refused.status == 1)
      #expect(
        refused.errors.contains("would be lost: A.note of 1 object: B.note is gone"),
        "\(refused.errors)")
    }
  }

  /// The members of a relationship whose inverse has the values are lost where it refers to others.
  @Test func lostMembersAreCounted() throws {
    try Tool.withTemporaryFolder { folder in
      func part(_ name: String, _ target: String) -> String {
        "<entity name=\"\(name)\">"
          + (name == target
            ? "<relationship name=\"a\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"A\" "
              + "inverseName=\"members\" inverseEntity=\"A\"/>" : "") + "</entity>"
      }
      for (name, target) in [("One", "B"), ("Two", "C")] {
        try write(
          "<entity name=\"A\"><relationship name=\"members\" optional=\"YES\" toMany=\"YES\" "
            + "destinationEntity=\"\(target)\" inverseName=\"a\" inverseEntity=\"\(target)\"/></entity>"
            + part("B", target) + part("C", target), "\(name).xcdatamodel", in: folder)
      }
      #expect(
        try Tool.run("store", "create", "One.xcdatamodel", "a.sqlite", in: folder).status == 0)
      try SQLiteConnection(
        writing: folder.appendingPathComponent("a.sqlite"), creation: .existing
      ).execute(
        "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1);"
          + "INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 2, 1, 2), (2, 2, 1, 2);"
          + "UPDATE Z_PRIMARYKEY SET Z_MAX = 2")
      let refused = try Tool.run(
        "store", "migrate", "a.sqlite", "--to", "Two.xcdatamodel", in: folder)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("would be lost: B.a of 2 objects: "), "\(refused.errors)")
      #expect(
        refused.errors.contains(
          "would be lost: A.members of 1 object: A.members refers to C, not B any more: its "
            + "references are lost"), "\(refused.errors)")
      let allowed = try Tool.run(
        "store", "migrate", "a.sqlite", "--to", "Two.xcdatamodel", "--allow-data-loss", in: folder)
      #expect(allowed.status == 0, "\(allowed.errors)")
    }
  }

  /// Numbers that fit the new type aren't a loss, whether it is wider or narrower. Numbers that are truncated are,
  /// even under a new name.
  @Test func numbersAreLostWhereTheyDoNotFit() throws {
    try Tool.withTemporaryFolder { folder in
      func attributes(_ age: String, _ size: String, _ name: String) -> String {
        "<entity name=\"Book\"><attribute name=\"age\" optional=\"YES\" attributeType=\"\(age)\"/>"
          + "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(size)\" elementID=\"size\"/></entity>"
      }
      try write(attributes("Integer 16", "Integer 64", "size"), "One.xcdatamodel", in: folder)
      try write(attributes("Integer 32", "Integer 32", "extent"), "Two.xcdatamodel", in: folder)
      try write(attributes("Double", "Double", "size"), "Three.xcdatamodel", in: folder)
      #expect(
        try Tool.run("store", "create", "One.xcdatamodel", "a.sqlite", in: folder).status == 0)
      let store = try SQLiteConnection(
        writing: folder.appendingPathComponent("a.sqlite"), creation: .existing)
      try store.execute(
        "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZAGE, ZSIZE) VALUES (1, 1, 1, 7, 5), (2, 1, 1, 9, 5000000000);"
          + "UPDATE Z_PRIMARYKEY SET Z_MAX = 2")
      func migrate(_ model: String, _ copy: String) throws -> Tool.Outcome {
        try Tool.run("store", "migrate", "a.sqlite", "--to", model, "--output", copy, in: folder)
      }
      let refused = try migrate("Two.xcdatamodel", "b.sqlite")
      #expect(refused.status == 1)
      #expect(
        refused.errors.contains("would be lost: Book.size of 1 object: "), "\(refused.errors)")
      #expect(!refused.errors.contains("Book.age"), "\(refused.errors)")
      let fine = try migrate("Three.xcdatamodel", "c.sqlite")
      #expect(fine.status == 0 && fine.errors.isEmpty, "\(fine.errors)")
      try store.execute("UPDATE ZBOOK SET ZSIZE = 6 WHERE Z_PK = 2")
      let small = try migrate("Two.xcdatamodel", "d.sqlite")
      #expect(small.status == 0 && small.errors.isEmpty, "\(small.errors)")
      try store.execute("UPDATE ZBOOK SET ZSIZE = 9007199254740993 WHERE Z_PK = 2")
      let rounded = try migrate("Three.xcdatamodel", "e.sqlite")
      #expect(rounded.status == 1)
      #expect(
        rounded.errors.contains("would be lost: Book.size of 1 object: "), "\(rounded.errors)")
    }
  }

  /// A mapping model next to the bundle is used if it is for these two versions.
  @Test func mappingModelsBesideTheModelAreTaken() throws {
    try Tool.withTemporaryFolder { folder in
      _ = try store(in: folder)
      let made = try Tool.run(
        "migrate-check", "Shelf.xcdatamodeld@V1", "Shelf.xcdatamodeld@V3", "--mapping",
        "OneToThree.cdm",
        in: folder)
      #expect(made.status == 0, "\(made.errors)")
      let run = try Tool.run(
        "store", "migrate", "shelf.sqlite", "--to", "Shelf.xcdatamodeld@V3", "--output",
        "copy.sqlite",
        in: folder)
      #expect(
        run.errors.contains("OneToThree.cdm: warning: using this mapping model"), "\(run.errors)"
      )
      #expect(run.status == 0, "\(run.errors)")
      let other = try Tool.run(
        "store", "migrate", "shelf.sqlite", "--to", "Shelf.xcdatamodeld@V2", "--dry-run", in: folder
      )
      #expect(!other.errors.contains("OneToThree.cdm"))
    }
  }

  /// A dry run shows the mapping model; what it forgets although the new model has it is a loss.
  @Test func whatAMappingModelForgetsIsCounted() throws {
    try Tool.withTemporaryFolder { folder in
      let size = "<attribute name=\"size\" attributeType=\"Integer 16\" defaultValueString=\"0\"/>"
      try write("<entity name=\"Book\">\(title)\(size)</entity>", "One.xcdatamodel", in: folder)
      try write(
        "<entity name=\"Book\">\(title)\(size)\(note)</entity>", "Two.xcdatamodel", in: folder)
      let made = try Tool.run("store", "create", "One.xcdatamodel", "a.sqlite", in: folder)
      try #require(made.status == 0, "\(made.errors)")
      try SQLiteConnection(
        writing: folder.appendingPathComponent("a.sqlite"), creation: .existing
      ).execute(
        "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZSIZE) VALUES (1, 1, 1, 'a', 7);"
          + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
      let inferred = try Tool.run(
        "migrate-check", "One.xcdatamodel", "Two.xcdatamodel", "--mapping", "OneToTwo.cdm",
        in: folder)
      #expect(inferred.status == 0, "\(inferred.errors)")
      func migrate(_ options: String...) throws -> Tool.Outcome {
        try Tool.run(
          arguments: ["store", "migrate", "a.sqlite", "--to", "Two.xcdatamodel"] + options,
          in: folder)
      }
      let whole = try migrate("--dry-run")
      #expect(whole.status == 0, "\(whole.errors)")
      #expect(whole.text.contains(": migration with a mapping model\n"), "\(whole.text)")
      #expect(whole.text.contains("\n  size: "), "\(whole.text)")
      let url = folder.appendingPathComponent("OneToTwo.cdm")
      let mapping = try #require(NSMappingModel(contentsOf: url))
      let book = try #require(mapping.entityMappingsByName.values.first)
      book.attributeMappings?.removeAll { $0.name == "size" }
      try Data(MappingArchive.encode(mapping)).write(to: url)
      let trial = try migrate("--dry-run")
      #expect(trial.status == 1 && !trial.text.contains("\n  size: "), "\(trial.text)")
      let refused = try migrate()
      #expect(refused.status == 1)
      #expect(
        refused.errors.contains(
          "would be lost: Book.size of 1 object: no mapping takes it along"), "\(refused.errors)")
      let allowed = try migrate("--allow-data-loss")
      #expect(allowed.status == 0, "\(allowed.errors)")
    }
  }

  /// Links that a mapping model forgets on both sides are counted, and values of an attribute with a name that all
  /// expressions contain.
  @Test func linksThatAMappingModelForgetsAreCounted() throws {
    try Tool.withTemporaryFolder { folder in
      let source = "<attribute name=\"source\" optional=\"YES\" attributeType=\"String\"/>"
      let tag =
        "<relationship name=\"tag\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
        + "destinationEntity=\"Tag\" inverseName=\"news\" inverseEntity=\"Tag\"/>"
      let news =
        "<relationship name=\"news\" optional=\"YES\" toMany=\"YES\" deletionRule=\"Nullify\" "
        + "destinationEntity=\"News\" inverseName=\"tag\" inverseEntity=\"News\"/>"
      for (name, more) in [("One", ""), ("Two", note)] {
        try write(
          "<entity name=\"News\">\(title)\(source)\(more)\(tag)</entity>"
            + "<entity name=\"Tag\">\(title)\(news)</entity>", "\(name).xcdatamodel", in: folder)
      }
      let made = try Tool.run("store", "create", "One.xcdatamodel", "a.sqlite", in: folder)
      try #require(made.status == 0, "\(made.errors)")
      try SQLiteConnection(
        writing: folder.appendingPathComponent("a.sqlite"), creation: .existing
      ).execute(
        "INSERT INTO ZNEWS (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZSOURCE, ZTAG) VALUES (1, 1, 1, 'a', 's', 1), "
          + "(2, 1, 1, 'b', NULL, 1);"
          + "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (1, 2, 1, 'c');"
          + "UPDATE Z_PRIMARYKEY SET Z_MAX = 2")
      let inferred = try Tool.run(
        "migrate-check", "One.xcdatamodel", "Two.xcdatamodel", "--mapping", "OneToTwo.cdm",
        in: folder)
      #expect(inferred.status == 0, "\(inferred.errors)")
      let url = folder.appendingPathComponent("OneToTwo.cdm")
      func trial(without forgotten: Set<String>) throws -> Tool.Outcome {
        let mapping = try #require(NSMappingModel(contentsOf: url))
        for entity in mapping.entityMappingsByName.values {
          entity.attributeMappings?.removeAll { forgotten.contains($0.name ?? "") }
          entity.relationshipMappings?.removeAll { forgotten.contains($0.name ?? "") }
        }
        let cut = folder.appendingPathComponent("Cut.cdm")
        try Data(MappingArchive.encode(mapping)).write(to: cut)
        return try Tool.run(
          "store", "migrate", "a.sqlite", "--to", "Two.xcdatamodel", "--mapping", "Cut.cdm",
          "--dry-run", in: folder)
      }
      let whole = try trial(without: [])
      #expect(whole.status == 0 && !whole.errors.contains("lost"), "\(whole.errors)")
      for side in ["tag", "news"] {
        let one = try trial(without: [side])
        #expect(one.status == 0 && !one.errors.contains("lost"), "\(side): \(one.errors)")
      }
      let both = try trial(without: ["tag", "news"])
      #expect(both.status == 1)
      for loss in ["News.tag of 2 objects", "Tag.news of 1 object"] {
        #expect(
          both.errors.contains("would be lost: \(loss): no mapping takes it along"),
          "\(both.errors)")
      }
      let value = try trial(without: ["source"])
      #expect(value.status == 1)
      #expect(
        value.errors.contains(
          "would be lost: News.source of 1 object: no mapping takes it along"), "\(value.errors)")
    }
  }

  /// The same with one that isn't compiled: a source, which contains the models' paths on its author's machine.
  @Test func sourcesOfMappingModelsBesideTheModelAreTaken() throws {
    try Tool.withTemporaryFolder { folder in
      let example = Corpus.packageRoot.appendingPathComponent(
        "Tools/Examples/Library/Sources/Library")
      for name in ["Library.xcdatamodeld", "LibraryTo2.xcmappingmodel"] {
        try FileManager.default.copyItem(
          at: example.appendingPathComponent(name), to: folder.appendingPathComponent(name))
      }
      let made = try Tool.run(
        "store", "create", "Library.xcdatamodeld@Library", "library.sqlite", in: folder)
      #expect(made.status == 0, "\(made.errors)")
      try SQLiteConnection(
        writing: folder.appendingPathComponent("library.sqlite"), creation: .existing
      ).execute("INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)")
      let judged = try Tool.run(
        "migrate-check", "Library.xcdatamodeld@Library", "Library.xcdatamodeld@Library 2",
        in: folder)
      #expect(
        judged.errors.contains(
          "LibraryTo2.xcmappingmodel: warning: this mapping model migrates between these versions"),
        "\(judged.errors)")
      let run = try Tool.run(
        "store", "migrate", "library.sqlite", "--to", "Library.xcdatamodeld@Library 2",
        "--output", "copy.sqlite", in: folder)
      #expect(
        run.errors.contains("LibraryTo2.xcmappingmodel: warning: using this mapping model"),
        "\(run.errors)")
      // The mapping omits authors without books, which inference wouldn't.
      #expect(run.status == 0 && run.text.contains("Author  0\n"), "\(run.text)")
      let inferred = try Tool.run(
        "store", "migrate", "library.sqlite", "--to", "Library.xcdatamodeld@Library 2", "--infer",
        "--output", "other.sqlite", in: folder)
      #expect(!inferred.errors.contains("xcmappingmodel"), "\(inferred.errors)")
    }
  }
}
