import Foundation
import MomKit
import TestSupport
import Testing

@testable import ManagedObjects
@testable import momtool

/// Signals that arrive while a store is being migrated or read.
@Suite struct InterruptionTests {
  /// Unlike SIGINT, no shell makes its background programs ignore this signal.
  static let signal = SIGTERM

  /// As with nohup, whose programs continue when the terminal is closed.
  @Test func whatWasIgnoredStaysIgnored() {
    // It stays ignored until the tests end, since a late one would end them.
    Foundation.signal(SIGHUP, SIG_IGN)
    let progress = Progress(totalUnitCount: 1)
    withExtendedLifetime(Interruption(cancelling: progress)) {
      for _ in 0..<30 {
        kill(getpid(), SIGHUP)
        usleep(10_000)
      }
    }
    #expect(!progress.isCancelled)
    // It must still be ignored after the work; otherwise it would end the tests.
    kill(getpid(), SIGHUP)
  }

  /// The rows of an XML store are in a temporary folder while the command reads them. The reader of the pipe stops
  /// reading, so the command is interrupted midway.
  @Test func nothingStaysOfACommandThatASignalEnds() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeStore(ofType: NSXMLStoreType, in: folder)
      let temporary = folder.appendingPathComponent("tmp")
      try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
      let process = Tool.process(
        Tool.url, ["store", "export", "notes.store", "--model", "Notes.mom", "--format", "json"],
        environment: ["TMPDIR": temporary.path], in: folder)
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      #expect(try output.fileHandleForReading.read(upToCount: 1)?.count == 1)
      #expect(try !FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
      kill(process.processIdentifier, Self.signal)
      process.waitUntilExit()
      #expect(process.terminationReason == .uncaughtSignal)
      #expect(process.terminationStatus == Self.signal)
      #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    }
  }

  // MARK: In the middle

  /// A migration is cancelled, and the store is unchanged.
  @Test func aMigrationIsTakenBack() throws {
    let signal = Self.signal
    try Tool.withTemporaryFolder { folder in
      try Self.makeStore(ofType: NSSQLiteStoreType, in: folder, rows: 200_000)
      try Self.compileNewVersion(in: folder)
      let store = folder.appendingPathComponent("notes.store")
      let original = try Data(contentsOf: store)
      let files = Self.names(in: folder)
      let arguments = ["store", "migrate", "notes.store", "--to", "More.mom"]
      #expect(try Tool.run(arguments: arguments, in: folder).status == 0)
      let migrated = try Data(contentsOf: store)
      #expect(migrated != original)
      try Self.untilMet {
        try original.write(to: store)
        let (process, _) = try Self.inTheMiddle(
          of: arguments, in: folder, watching: folder, until: { $0.hasSuffix("before-migration") }
        ) { kill($0, signal) }
        let left = try Data(contentsOf: store)
        #expect(Self.names(in: folder) == files)
        return Self.isBrokenOff(
          process, isUndone: left == original, isWhole: left == migrated, "migrate")
      }
    }
  }

  /// What a command was creating for --output is removed.
  @Test func nothingStaysOfAnOutput() throws {
    let signal = Self.signal
    try Tool.withTemporaryFolder { folder in
      try Self.makeStore(ofType: NSSQLiteStoreType, in: folder, rows: 200_000)
      try Self.compileNewVersion(in: folder)
      let files = Self.names(in: folder)
      for (arguments, output) in [
        (["export", "notes.store", "--format", "csv", "-o", "tables"], "tables/Note.csv"),
        (["views", "notes.store", "-o", "views.sqlite"], "views.sqlite"),
        (["migrate", "notes.store", "--to", "More.mom", "--output", "copy.sqlite"], "copy.sqlite"),
      ] {
        let url = folder.appendingPathComponent(output)
        func remove() throws {
          for name in Self.names(in: folder) where !files.contains(name) {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
          }
        }
        #expect(try Tool.run(arguments: ["store"] + arguments, in: folder).status == 0)
        let whole = try Data(contentsOf: url)
        try remove()
        try Self.untilMet {
          let (process, _) = try Self.inTheMiddle(
            of: ["store"] + arguments, in: folder, watching: url.deletingLastPathComponent(),
            until: { $0.hasPrefix(".momkit-") }
          ) { kill($0, signal) }
          let left = try? Data(contentsOf: url)
          // The folder of the tables may be there: it is empty.
          let others = Set(
            Self.names(in: folder) + Self.names(in: url.deletingLastPathComponent())
          ).subtracting(files + ["tables", url.lastPathComponent])
          #expect(others == [], "\(arguments)")
          try remove()
          return Self.isBrokenOff(
            process, isUndone: left == nil, isWhole: left == whole, "\(arguments)")
        }
      }
    }
  }

  /// A killed process can't clean up; the next one removes what is abandoned, and nothing else.
  @Test func whatAKilledCommandLeftGoesWithTheNext() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeStore(ofType: NSXMLStoreType, in: folder, rows: 2000)
      let temporary = folder.appendingPathComponent("tmp")
      try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
      func left() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: temporary.path).sorted()
      }
      let uuid = UUID().uuidString
      // One of a live process, one with another format, and a user's file.
      let others = ["momkit-\(getpid())-\(uuid)", "momkit-1-x", "mine"]
      for name in others {
        try FileManager.default.createDirectory(
          at: temporary.appendingPathComponent(name), withIntermediateDirectories: true)
      }
      let info = ["store", "info", "notes.store", "--model", "Notes.mom"]
      try Self.untilMet {
        try Self.inTheMiddle(
          of: info, in: folder, temporary: temporary, watching: temporary,
          until: { $0.hasPrefix("momkit-") && !others.contains($0) }
        ) { kill($0, SIGKILL) }.isMet
      }
      #expect(try left().count == others.count + 1)
      let next = try Tool.run(
        arguments: info, environment: ["TMPDIR": temporary.path], in: folder)
      #expect(next.status == 0, "\(next.errors)")
      #expect(try left() == others.sorted())
      // A locked folder is in use, whatever its process ID: it may belong to another container.
      let locked = temporary.appendingPathComponent("momkit-4194303-\(uuid)")
      try FileManager.default.createDirectory(at: locked, withIntermediateDirectories: true)
      let descriptor = open(locked.path, O_RDONLY | O_DIRECTORY)
      #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      _ = try Tool.run(arguments: info, environment: ["TMPDIR": temporary.path], in: folder)
      #expect(try left().contains(locked.lastPathComponent))
      close(descriptor)
      _ = try Tool.run(arguments: info, environment: ["TMPDIR": temporary.path], in: folder)
      #expect(try left() == others.sorted())
    }
  }

  /// The migrated copy is moved into place only when complete, so a killed command doesn't obstruct others.
  @Test func aKilledMigrationOfACopyMayBeRunAgain() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeStore(ofType: NSSQLiteStoreType, in: folder, rows: 200_000)
      try Self.compileNewVersion(in: folder)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      let arguments = [
        "store", "migrate", "notes.store", "--to", "More.mom", "--output", "copy.sqlite",
      ]
      let copy = folder.appendingPathComponent("copy.sqlite")
      try Self.untilMet {
        let isMet = try Self.inTheMiddle(
          of: arguments, in: folder, watching: folder, until: { $0.hasPrefix(".momkit-") }
        ) { kill($0, SIGKILL) }.isMet
        if !isMet { try FileManager.default.removeItem(at: copy) }
        return isMet
      }
      #expect(!FileManager.default.fileExists(atPath: copy.path))
      let again = try Tool.run(arguments: arguments, in: folder)
      #expect(again.status == 0, "\(again.errors)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
          == (files + ["copy.sqlite"]).sorted())
      let count = try Tool.run("store", "info", "copy.sqlite", in: folder)
      #expect(count.text.contains("200000"), "\(count.text)")
    }
  }

  private static func source(texts type: String) -> String {
    """
    <model><entity name="Note">
      <attribute name="text" optional="YES" attributeType="\(type)"/>
    </entity></model>
    """
  }

  /// The model with one more attribute, whose stores have another table.
  private static func compileNewVersion(in folder: URL) throws {
    let more = "<attribute name=\"more\" optional=\"YES\" attributeType=\"Date\"/></entity>"
    try compile(source(texts: "String").replacing("</entity>", with: more), "More", in: folder)
  }

  private static func compile(_ source: String, _ name: String, in folder: URL) throws {
    let model = folder.appendingPathComponent("\(name).xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Data(source.utf8).write(to: model.appendingPathComponent("contents"))
    #expect(try Tool.run("compile", "\(name).xcdatamodel", in: folder).status == 0)
  }

  /// A store with more rows than fit in a pipe's buffer.
  private static func makeStore(
    ofType type: String, in folder: URL, rows: Int = 2000
  ) throws {
    try compile(source(texts: "String"), "Notes", in: folder)
    let model = try NSManagedObjectModel(loading: folder.appendingPathComponent("Notes.mom").path)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let url = folder.appendingPathComponent("notes.store")
    let store = try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: url,
      options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    for number in 0..<min(rows, 2000) {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note["text"] = String(repeating: "\(number) ", count: 20)
    }
    try context.save()
    try coordinator.remove(store)
    guard rows > 2000 else { return }
    try SQLiteConnection(writing: url, creation: .existing).execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 2001 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT) SELECT i, 1, 1, hex(randomblob(40)) FROM n;
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(rows)
      """)
  }
}
