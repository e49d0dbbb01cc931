import Foundation
import MomKit
import SystemSQLite

/// Performs many migrations, each in a separate process that is killed at a random time.
struct CrashRun {
  let isStaged: Bool
  let folder: URL

  init(isStaged: Bool, folder: String?) throws {
    self.isStaged = isStaged
    self.folder =
      folder.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent(
        "migration-crash-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
  }

  func run(kills: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let pristine = CrashStore(url: folder.appendingPathComponent("pristine/Files.sqlite"))
    try FileManager.default.createDirectory(
      at: pristine.url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try pristine.make()
    let work = folder.appendingPathComponent("work")
    let store = CrashStore(url: work.appendingPathComponent("Files.sqlite"))

    // The duration of a complete migration determines when to kill.
    try reset(work, from: pristine)
    let start = Date()
    guard try child(store, killedAfter: nil) else { throw CrashFailure("the migration fails") }
    var duration = Date().timeIntervalSince(start)
    guard try store.checkedVersion(rating: isStaged ? 4 : 3) == 2 else {
      throw CrashFailure("the migration did nothing")
    }

    var (old, new, completed) = (0, 0, 0)
    var attempts = 0
    while old + new < kills {
      attempts += 1
      guard attempts <= kills * 4 else { throw CrashFailure("the children are never killed") }
      try reset(work, from: pristine)
      let delay = Double.random(in: 0...duration * 1.05)
      let begin = Date()
      if try child(store, killedAfter: delay) {
        // The first migration may have run on a busier machine.
        duration = min(duration, Date().timeIntervalSince(begin))
        completed += 1
        continue
      }
      try expectSound(store.url)
      if try store.checkedVersion(rating: isStaged ? 4 : 3) == 1 { old += 1 } else { new += 1 }
      // The next process completes what the killed one began.
      try store.migrate(isStaged: isStaged)
      guard try store.checkedVersion(rating: isStaged ? 4 : 3) == 2 else {
        throw CrashFailure("the migration was not finished")
      }
      try expectSound(store.url)
      try expectNothingLeft(in: work)
    }
    print(
      "\(old + new) kills within \(Int(duration * 1000)) ms: \(old) stores were of the old version, "
        + "\(new) of the new one, all sound and complete; \(completed) children were faster")
  }

  private func reset(_ work: URL, from pristine: CrashStore) throws {
    try? FileManager.default.removeItem(at: work)
    try FileManager.default.copyItem(at: pristine.url.deletingLastPathComponent(), to: work)
  }

  /// Runs a child process. Returns false if it was killed before it finished.
  private func child(_ store: CrashStore, killedAfter delay: Double?) throws -> Bool {
    let process = Process()
    process.executableURL =
      Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["migrate", store.url.path, isStaged ? "staged" : "inplace"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    if let delay {
      Thread.sleep(forTimeInterval: delay)
      kill(process.processIdentifier, SIGKILL)
    }
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.hasSuffix("done\n")
  }

  /// Runs SQLite's integrity check on the file.
  private func expectSound(_ url: URL) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(url.path, &database) == SQLITE_OK else {
      throw CrashFailure("the store can't be opened")
    }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    sqlite3_prepare_v2(database, "PRAGMA integrity_check", -1, &statement, nil)
    guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0),
      String(cString: text) == "ok"
    else { throw CrashFailure("the store is not sound") }
  }

  private func expectNothingLeft(in work: URL) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: work.path).sorted()
    let known = ["Files.sqlite", "Files.sqlite-shm", "Files.sqlite-wal", ".Files_SUPPORT"]
    let strange = names.filter { !known.contains($0) }
    guard strange.isEmpty else { throw CrashFailure("left behind: \(strange)") }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: work.appendingPathComponent(".Files_SUPPORT/_EXTERNAL_DATA").path)
    let expected = CrashStore.folderCount * CrashStore.filesInFolder / 50
    guard files.count == expected else {
      throw CrashFailure("\(files.count) external files, not \(expected)")
    }
  }
}
