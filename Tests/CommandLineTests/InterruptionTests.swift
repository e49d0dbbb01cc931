import Foundation
import MomKit
import TestSupport
import Testing

@testable import ManagedObjects
@testable import momtool

/// Signals that arrive while a store is being migrated or read.
@Suite struct InterruptionTests {
  /// Unlike SIGINT, no shell makes its background programs ignore this signal.
  private static let signal = SIGTERM

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

  /// Stops a command once a given file exists that it creates along the way, so that the signal arrives midway.
  ///
  /// - Parameters:
  ///   - isThere: whether a name is that of the file.
  ///   - act: called while the process is stopped; the process then continues.
  /// - Returns: the process, after it has ended, or nil if it was too fast.
  private static func inTheMiddle(
    of arguments: [String], in folder: URL, temporary: URL? = nil, watching watched: URL,
    until isThere: (String) -> Bool, _ act: (pid_t) -> Void
  ) throws -> Process? {
    let process = Tool.process(
      Tool.url, arguments, environment: temporary.map { ["TMPDIR": $0.path] } ?? [:], in: folder)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    func isInTheMiddle() -> Bool {
      ((try? FileManager.default.contentsOfDirectory(atPath: watched.path)) ?? [])
        .contains(where: isThere)
    }
    try process.run()
    while process.isRunning, !isInTheMiddle() {}
    let number = process.processIdentifier
    kill(number, SIGSTOP)
    let wasInTime = process.isRunning && isInTheMiddle()
    if wasInTime { act(number) }
    kill(number, SIGCONT)
    process.waitUntilExit()
    return wasInTime ? process : nil
  }

  /// Retries until a command was interrupted midway.
  private static func untilMet(_ attempt: () throws -> Bool) rethrows {
    for _ in 0..<200 where try attempt() { return }
    Issue.record("the command was never met in the middle")
  }

  /// A migration is cancelled, and the store is unchanged.
  @Test func aMigrationIsTakenBack() throws {
    let signal = Self.signal
    try Tool.withTemporaryFolder { folder in
      try Self.makeStore(ofType: NSSQLiteStoreType, in: folder, rows: 200_000)
      try Self.compileNewVersion(in: folder)
      let store = folder.appendingPathComponent("notes.store")
      let original = folder.appendingPathComponent("original")
      try FileManager.default.copyItem(at: store, to: original)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      try Self.untilMet {
        let process = try Self.inTheMiddle(
          of: [
            "store", "migrate", "notes.store", "--to", "More.mom",
          ], in: folder, watching: folder, until: { $0.hasSuffix("before-migration") }
        ) { kill($0, signal) }
        guard let process, process.terminationStatus != 0 else {
          // It had finished before the signal arrived.
          try FileManager.default.removeItem(at: store)
          try FileManager.default.copyItem(at: original, to: store)
          return false
        }
        #expect(process.terminationReason == .exit && process.terminationStatus == 128 + signal)
        #expect(try Data(contentsOf: store) == Data(contentsOf: original))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == files)
        return true
      }
    }
  }

  /// What a command was creating for --output is removed.
  @Test func nothingStaysOfAnOutput() throws {
    let signal = Self.signal
    try Tool.withTemporaryFolder { folder in
      try Self.makeStore(ofType: NSSQLiteStoreType, in: folder, rows: 200_000)
      try Self.compileNewVersion(in: folder)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      let tables = folder.appendingPathComponent("tables")
      for (arguments, watched) in [
        (["export", "notes.store", "--format", "csv", "-o", "tables"], tables),
        (["views", "notes.store", "-o", "views.sqlite"], folder),
        (["migrate", "notes.store", "--to", "More.mom", "--output", "copy.sqlite"], folder),
      ] {
        try Self.untilMet {
          let process = try Self.inTheMiddle(
            of: ["store"] + arguments, in: folder, watching: watched,
            until: { $0.hasPrefix(".momkit-") }
          ) { kill($0, signal) }
          let isMet = process.map { $0.terminationStatus != 0 } ?? false
          if isMet, let process {
            let isKilled = process.terminationReason == .uncaughtSignal
            #expect(process.terminationStatus == (isKilled ? signal : 128 + signal))
            #expect(
              ((try? FileManager.default.contentsOfDirectory(atPath: tables.path)) ?? []) == [])
          }
          for name in ["tables", "views.sqlite", "copy.sqlite"] {
            let isThere = FileManager.default.fileExists(
              atPath: folder.appendingPathComponent(name).path)
            #expect(!isMet || !isThere || name == "tables", "\(arguments): \(name)")
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
          }
          #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == files,
            "\(arguments)")
          return isMet
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
        ) { kill($0, SIGKILL) } != nil
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
      try Self.untilMet {
        try Self.inTheMiddle(
          of: arguments, in: folder, watching: folder, until: { $0.hasPrefix(".momkit-") }
        ) { kill($0, SIGKILL) } != nil
      }
      let copy = folder.appendingPathComponent("copy.sqlite")
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
