import Foundation
import MomKit
import TestSupport
import Testing

@testable import momtool

/// Signals that come while a store is migrated, or looked at.
@Suite struct InterruptionTests {
  /// One that no shell has its programs ignore, as it does with SIGINT in the background.
  private static let signal = SIGTERM

  /// As under nohup, whose programs go on when the terminal is gone.
  @Test func whatWasIgnoredStaysIgnored() {
    // It stays so until the tests end: a late one would end them.
    Foundation.signal(SIGHUP, SIG_IGN)
    let progress = Progress(totalUnitCount: 1)
    withExtendedLifetime(Interruption(cancelling: progress)) {
      for _ in 0..<30 {
        kill(getpid(), SIGHUP)
        usleep(10_000)
      }
    }
    #expect(!progress.isCancelled)
    // It is ignored after the work too, or this would end the tests.
    kill(getpid(), SIGHUP)
  }

  /// The rows of an XML store lie in a temporary folder while the command reads them; the reader of the pipe stops
  /// reading, so that the command is somewhere in the middle.
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

  /// A migration is cancelled, and the store is what it was.
  @Test func aMigrationIsTakenBack() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.makeStore(ofType: NSSQLiteStoreType, in: folder)
      try Self.compile(Self.source(texts: "Integer 64"), "Numbers", in: folder)
      let store = folder.appendingPathComponent("notes.store")
      let before = try Data(contentsOf: store)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      let process = Tool.process(
        Tool.url, ["store", "migrate", "notes.store", "--to", "Numbers.mom", "--allow-data-loss"],
        in: folder)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      // Somewhere in the middle, or before it began.
      usleep(60_000)
      kill(process.processIdentifier, Self.signal)
      process.waitUntilExit()
      guard process.terminationStatus != 0 else { return }
      #expect(try Data(contentsOf: store) == before)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == files)
    }
  }

  private static func source(texts type: String) -> String {
    """
    <model><entity name="Note">
      <attribute name="text" optional="YES" attributeType="\(type)"/>
    </entity></model>
    """
  }

  private static func compile(_ source: String, _ name: String, in folder: URL) throws {
    let model = folder.appendingPathComponent("\(name).xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Data(source.utf8).write(to: model.appendingPathComponent("contents"))
    #expect(try Tool.run("compile", "\(name).xcdatamodel", in: folder).status == 0)
  }

  /// A store of more rows than a pipe holds.
  private static func makeStore(ofType type: String, in folder: URL) throws {
    try compile(source(texts: "String"), "Notes", in: folder)
    let model = try NSManagedObjectModel(loading: folder.appendingPathComponent("Notes.mom").path)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let url = folder.appendingPathComponent("notes.store")
    let store = try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: url,
      options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    for number in 0..<2000 {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note["text"] = String(repeating: "\(number) ", count: 20)
    }
    try context.save()
    try coordinator.remove(store)
  }
}
