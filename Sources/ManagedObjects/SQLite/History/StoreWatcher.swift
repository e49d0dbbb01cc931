import Foundation
import Synchronization

/// Notices what other connections, of this program or of others, write to a store's file.
///
/// A few times a second the times and sizes of the file and its `-wal` are looked at, which takes no
/// lock; only when they changed is SQLite asked whether somebody else wrote.
final class StoreWatcher: @unchecked Sendable {
  /// How often the files are looked at.
  private static let interval = DispatchTimeInterval.milliseconds(200)

  private let timer: any DispatchSourceTimer
  private weak var engine: SQLiteEngine?
  private let paths: [String]
  private let handler: @Sendable () -> Void
  private var stamps: [FileStamp]
  private var version: Int64?

  init(_ engine: SQLiteEngine, _ handler: @escaping @Sendable () -> Void) {
    self.engine = engine
    self.handler = handler
    paths = [engine.connection.path, engine.connection.path + "-wal"]
    stamps = paths.map(FileStamp.init)
    version = try? engine.connection.integer("PRAGMA data_version")
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
    // The connection is the coordinator's: it is asked in its turn. A store that was removed has
    // no coordinator any more.
    let isForeign = engine?.reference.store?.persistentStoreCoordinator?.performAndWait {
      guard let engine, let present = try? engine.connection.integer("PRAGMA data_version") else {
        return false
      }
      defer { version = present }
      return present != version
    }
    stamps = now
    if isForeign == true { handler() }
  }

  /// What changes when a file is written.
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
