import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct StoreCommandTests {
  private static let store = Corpus.root.appendingPathComponent(
    "alemar11+CoreDataPlus/Tests/Resources/SampleModel2/Fixtures/SampleModel2_V1.sqlite"
  ).path

  @Test func infoCountsRows() throws {
    let run = try Tool.run("store", "info", Self.store)
    #expect(run.status == 0)
    #expect(run.text.contains("framework    1344\n"))
    #expect(run.text.hasSuffix("Page          4970\nWriter        0\n"))
  }

  @Test func storesOfOtherTypesAreNamed() throws {
    let store = try #require(Corpus.files.first { $0.path.hasSuffix("xcmapping.xml") })
    let run = try Tool.run("store", "info", store.url.path)
    #expect(run.status != 0)
    #expect(run.errors.contains("an XML store"))
    #expect(run.errors.contains("XDDevAttributeMapping, XDDevEntityMapping"))
  }

  @Test func fetchFiltersSortsAndFormats() throws {
    let run = try Tool.run(
      "store", "fetch", Self.store, "Author", "--where", "age > 30", "--format", "jsonl")
    #expect(run.status == 0)
    #expect(
      run.text
        == "{\"@object\":\"Author/p2\",\"age\":40,\"alias\":\"Alessandro\","
        + "\"books\":[\"Book/p5\",\"GraphicNovel/p11\",\"Book/p51\"],\"siteURL\":null}\n")
    let sorted = try Tool.run(
      "store", "fetch", Self.store, "Author", "--sort", "-age", "--format", "csv")
    let rows = sorted.text.components(separatedBy: "\r\n")
    #expect(rows.count == 4)
    #expect(rows[0] == "object,age,alias,books,siteURL")
    #expect(rows[1] == "Author/p2,40,Alessandro,Book/p5 GraphicNovel/p11 Book/p51,")
    #expect(rows[2].hasPrefix("Author/p1,30,Andrea,Book/p1 Book/p2 Book/p3 "))
  }

  @Test(arguments: [
    (
      ["Author", "--where", "nope == 1"], Int32(2), "--where: error: Author has no property 'nope'"
    ),
    (["Author", "--where", "age >"], Int32(2), ""), (["Nobody"], Int32(2), "no entity 'Nobody'"),
  ])
  func wrongQuestionsAreRefused(arguments: [String], status: Int32, text: String) throws {
    let run = try Tool.run(arguments: ["store", "fetch", Self.store] + arguments)
    #expect(run.status == status)
    #expect(run.text.isEmpty)
    #expect(text.isEmpty || run.errors.contains(text))
  }

  @Test func aStoreIsMadeOnce() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("momkit-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("new.sqlite").path
    #expect(try Tool.run("store", "create", Self.store, file).status == 0)
    #expect(try Tool.run("store", "create", Self.store, file).status == 2)
    let (made, original) = (
      try Tool.run("store", "schema", file), try Tool.run("store", "schema", Self.store)
    )
    #expect(made.text == original.text)
    #expect(original.text.contains("CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, "))
  }

  @Test func aStoreMigratesAsTheDryRunSays() throws {
    let folder = try TemporaryFolder()
    let store = folder.file("Authors.sqlite").path
    try FileManager.default.copyItem(atPath: Self.store, toPath: store)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: store))
    let target = Corpus.root.appendingPathComponent(
      "alemar11+CoreDataPlus/Tests/Resources/SampleModel2/Fixtures/SampleModel2_V2.sqlite"
    ).path
    let trial = try Tool.run("store", "migrate", store, "--to", target, "--dry-run")
    #expect(trial.status == 0, "\(trial.errors)")
    #expect(trial.text.contains("it would contain these objects\n"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes)
    let copy = folder.file("Copy.sqlite").path
    #expect(try Tool.run("store", "migrate", store, "--to", target, "--output", copy).status == 0)
    #expect(try Tool.run("store", "migrate", store, "--to", target, "--output", copy).status == 2)
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes)
    let run = try Tool.run("store", "migrate", store, "--to", target)
    #expect(run.status == 0, "\(run.errors)")
    // The first line contains the file's name.
    let hashes = try [store, copy].map {
      try Tool.run("hashes", $0).text.split(separator: "\n").dropFirst()
    }
    #expect(hashes[0] == hashes[1] && hashes[0].count > 3)
    #expect(
      try Tool.run("store", "migrate", store, "--to", target).text
        == "the store already has this version\n")
    // Migrating back drops what the new version can't hold, or fails: never halfway.
    let wrong = try Tool.run("store", "migrate", store, "--to", "nothing.mom")
    #expect(wrong.status == 2)
  }
}
