import CSQLite
import DataModels
import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import ManagedObjects

@Suite struct StoreFileTests {
  /// A connection to a store created with these statements, to be closed by the caller.
  private func store(at path: String, _ sql: String) throws -> OpaquePointer {
    var handle: OpaquePointer?
    #expect(sqlite3_open(path, &handle) == SQLITE_OK)
    let opened = try #require(handle)
    var message: UnsafeMutablePointer<CChar>?
    #expect(sqlite3_exec(opened, sql, nil, nil, &message) == SQLITE_OK)
    return opened
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
  }

  /// The statements for a store of a model.
  private func layout(_ model: NSManagedObjectModel) throws -> String {
    var list = PropertyListGraph()
    let names = model.entityVersionHashesByName.keys.sorted()
    let hashes = list.add(
      dictionary: names.map { list.add(string: $0) },
      values: names.map { list.add(data: model.entityVersionHashesByName[$0] ?? Data()) })
    let digest = list.add(string: model.versionHashesDigest)
    list.root = list.add(
      dictionary: ["NSStoreModelVersionHashes", "NSStoreModelVersionHashesDigest"].map {
        list.add(string: $0)
      }, values: [hashes, digest])
    let cache = try ModelCache.compress(ModelArchive.encode(model))
    return """
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      INSERT INTO Z_METADATA VALUES (1, 'ABC', \(hexadecimal(list.binary())));
      INSERT INTO Z_MODELCACHE VALUES (\(hexadecimal(cache)));
      """
  }

  private func model() -> NSManagedObjectModel {
    let entity = entity("Order")
    return NSManagedObjectModel(of: [entity])
  }

  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func realStoresVerify() throws {
    var cached = 0
    let stores = Corpus.files(ofKind: "sqlite")
    for file in stores {
      let folder = file.url.deletingLastPathComponent()
      let before = try TemporaryFolder.contents(of: folder)
      let store = try StoreFile(at: file.url.path)
      #expect(!store.metadata.entityHashes.isEmpty, "\(file.path)")
      #expect(store.verify() == [], "\(file.path)")
      if let model = try store.cachedModel() {
        cached += 1
        #expect(Set(model.entitiesByName.keys) == Set(store.metadata.entityHashes.keys))
      }
      #expect(try TemporaryFolder.contents(of: folder) == before, "\(file.path)")
    }
    #expect(stores.count > 10 && cached > 10)
  }

  /// All content is in the `-wal`, of a store in an oddly named folder that isn't changed.
  @Test func waitingContentIsSeen() throws {
    let folder = try TemporaryFolder()
    let live = try store(
      at: folder.file("live.sqlite").path, "PRAGMA journal_mode=wal;" + layout(model()))
    let odd = folder.file("50% ?#é")
    try FileManager.default.createDirectory(at: odd, withIntermediateDirectories: true)
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: folder.file("live.sqlite").path + suffix,
        toPath: odd.path + "/left.sqlite" + suffix)
    }
    sqlite3_close(live)
    for path in [odd.path + "/left.sqlite", folder.file("live.sqlite").path] {
      let before = try folder.contents()
      let file = try StoreFile(at: path)
      #expect(file.metadata.identifier == "ABC")
      #expect(file.verify() == [])
      #expect(try file.cachedModel()?.entities.map(\.name) == ["Order"])
      #expect(try ModelFile(at: path).models().count == 1)
      #expect(try NSManagedObjectModel(loading: path).entities.map(\.name) == ["Order"])
      #expect(try folder.contents() == before)
    }
  }

  @Test func whatIsNoStoreIsNamed() throws {
    let folder = try TemporaryFolder()
    let cases: [(String, ModelFileError.Code)] = [
      ("CREATE TABLE t (a)", .noModel),
      ("CREATE TABLE Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST)", .malformed),
      (
        """
        CREATE TABLE Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST);
        INSERT INTO Z_METADATA VALUES (1, 'A', 'text')
        """, .malformed
      ),
      ("CREATE VIEW Z_METADATA AS SELECT 1 Z_VERSION, 2 Z_UUID, 3 Z_PLIST", .noModel),
    ]
    for (number, (sql, code)) in cases.enumerated() {
      let path = folder.file("\(number).sqlite").path
      sqlite3_close(try store(at: path, sql))
      let error = #expect(throws: ModelFileError.self) { try StoreFile(at: path) }
      #expect(error?.code == code)
      #expect(error?.path == path)
    }
  }

  /// A file that only starts like a store: the error has SQLite's message and the path.
  @Test func aDamagedFileIsNamed() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("short.sqlite").path
    try Data("SQLite format 3\u{0}".utf8).write(to: folder.file("short.sqlite"))
    let error = #expect(throws: ModelFileError.self) { try NSManagedObjectModel(loading: path) }
    #expect(error?.code == .malformed)
    #expect(error?.path == path)
  }

  /// The error for damaged metadata names the table and the column.
  @Test(arguments: ["x'62706C6973743030'", "'text'", "x'00'"])
  func damagedMetadataAreNamed(contents: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sqlite").path
    sqlite3_close(
      try store(
        at: path,
        """
        CREATE TABLE Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST);
        INSERT INTO Z_METADATA VALUES (1, 'A', \(contents))
        """))
    let error = #expect(throws: ModelFileError.self) { try StoreFile(at: path) }
    #expect(error?.code == .malformed)
    #expect(error?.message.hasPrefix("Z_PLIST in table Z_METADATA: ") == true)
  }

  @Test func differencesAreListed() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sqlite").path
    let other = model()
    other.entities[0].name = "Other"
    let handle = try store(at: path, layout(model()))
    let cache = try ModelCache.compress(ModelArchive.encode(other))
    sqlite3_exec(
      handle, "UPDATE Z_MODELCACHE SET Z_CONTENT = \(hexadecimal(cache))", nil, nil, nil)
    sqlite3_close(handle)
    #expect(
      try StoreFile(at: path).verify().map { "\($0.kind.rawValue) \($0.entity ?? "")" } == [
        "missing-entity Order", "unrecorded-entity Other",
      ])
  }
}
