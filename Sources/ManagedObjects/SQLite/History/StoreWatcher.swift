import Foundation
import PropertyLists
import Synchronization

/// Detects writes of other connections, in this program or others, to a store's file.
///
/// The modification times and sizes of the file and its `-wal` are polled several times a second, which takes no
/// lock. Only when they change, SQLite is asked whether another connection has written.
final class StoreWatcher: @unchecked Sendable {
  // Sendable: once created, it changes only on the timer's own serial queue.

  /// The polling interval.
  private static let interval = DispatchTimeInterval.milliseconds(200)

  private let timer: any DispatchSourceTimer
  private weak var engine: SQLiteEngine?
  private let paths: [String]
  private let handler: @Sendable () -> Void
  private var stamps: [FileStamp]
  private var version: [Int64]?

  init(_ engine: SQLiteEngine, _ handler: @escaping @Sendable () -> Void) {
    self.engine = engine
    self.handler = handler
    let path = engine.connection.path
    paths = [path, FileBytes.resolvingLinks(path) + "-wal"]
    stamps = paths.map(FileStamp.init)
    version = try? Self.version(of: engine)
    timer = DispatchSource.makeTimerSource(
      queue: DispatchQueue(label: "org.momkit.store-watcher", qos: .utility))
    timer.schedule(
      deadline: .now() + Self.interval, repeating: Self.interval, leeway: .milliseconds(50))
    timer.setEventHandler { [weak self] in self?.look() }
    timer.resume()
  }

  deinit { timer.cancel() }

  private func look() {
    let now = paths.map(FileStamp.init)
    guard now != stamps else { return }
    // The coordinator owns the connection, which is used under its lock. A store that was removed has no coordinator
    // any more.
    let isForeign = engine?.reference.store?.persistentStoreCoordinator?.performAndWait {
      () -> Bool? in
      guard let engine, let present = try? Self.version(of: engine) else { return nil }
      defer { version = present }
      return present != version
    }
    // Without an answer, as while the store is locked, the next poll asks again.
    guard let isForeign = isForeign ?? nil else { return }
    stamps = now
    if isForeign { handler() }
  }

  /// Numbers that change when other connections write.
  private static func version(of engine: SQLiteEngine) throws -> [Int64] {
    // The connection of a store that is only read may not notice it; then it is replaced.
    if !engine.isAnswering { try engine.catchUp() }
    return try [Int64(engine.replacements), engine.connection.integer("PRAGMA data_version") ?? 0]
  }

  /// The file attributes that change when a file is written.
  private struct FileStamp: Equatable {
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int

    init(_ path: String) {
      var info = stat()
      guard stat(path, &info) == 0 else {
        (seconds, nanoseconds, size) = (0, 0, -1)
        return
      }
      seconds = info.st_mtim.tv_sec
      nanoseconds = info.st_mtim.tv_nsec
      size = Int(info.st_size)
    }
  }
}
