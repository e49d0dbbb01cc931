import FaultyFiles
import Foundation
import SystemSQLite

/// The file system faults of this process: at most one at a time.
enum FileFaults {
  /// The exit status of a process ended by a fault.
  static let exitStatus = Int32(FAULTY_EXIT_STATUS)

  /// What happened while a fault was armed.
  struct Tally {
    /// The number of calls that the fault applies to.
    var calls = 0
    /// The number of those calls that failed.
    var faults = 0
  }

  /// Installs the file system layer that makes faults under every store opened from now on.
  static func install() {
    let result = faulty_files_register(true)
    precondition(result == SQLITE_OK, "SQLite takes no file system of ours: \(result)")
  }

  /// Runs a closure with a fault for the files in `folder`.
  static func under<Result>(
    _ fault: Fault, in folder: URL, _ body: () throws -> Result
  ) rethrows -> (result: Result, tally: Tally) {
    switch fault.kind {
    case .noFolder:
      let obstacles = Obstacles(in: folder)
      defer { obstacles.remove() }
      let result = try body()
      return (result, Tally(calls: 0, faults: obstacles.count))
    case .longFiles, .cut:
      let limit = FileLengthLimit(bytes: 120_000, ends: fault.isKill)
      defer { limit.lift() }
      let result = try body()
      return (result, Tally(calls: 0, faults: 1))
    default:
      faulty_files_arm(
        folder.path + "/", fault.calls, fault.outcome, Int64(fault.call),
        fault.isPermanent ? Int64.max : 1)
      defer { faulty_files_disarm() }
      let result = try body()
      let tally = faulty_files_disarm()
      return (result, Tally(calls: Int(tally.calls), faults: Int(tally.faults)))
    }
  }

  /// Counts the calls that a closure makes for the files in `folder`.
  static func calls<Result>(
    in folder: URL, _ body: () throws -> Result
  ) rethrows -> (result: Result, calls: Int) {
    faulty_files_arm(folder.path + "/", UInt32(FaultyCallAll), SQLITE_OK, 0, 0)
    defer { faulty_files_disarm() }
    let result = try body()
    return (result, Int(faulty_files_disarm().calls))
  }
}

extension Fault {
  /// The kinds of call that the fault affects, as the layer's bits.
  fileprivate var calls: UInt32 {
    let calls =
      switch kind {
      case .busy: FaultyCallWriteLock
      case .full: FaultyCallWrite
      case .writeError: FaultyCallWrite | FaultyCallTruncate
      case .syncError: FaultyCallSync
      case .readError: FaultyCallRead
      case .readOnly: FaultyCallWrite | FaultyCallWriteLock
      case .noFolder, .longFiles, .cut: 0
      case .kill, .tear: FaultyCallAll
      }
    return UInt32(calls)
  }

  /// SQLite's result code, or the layer's own code.
  fileprivate var outcome: Int32 {
    switch kind {
    case .busy: SQLITE_BUSY
    case .full: SQLITE_FULL
    case .writeError: SQLITE_IOERR | 3 << 8
    case .syncError: SQLITE_IOERR | 4 << 8
    case .readError: SQLITE_IOERR | 1 << 8
    case .readOnly: SQLITE_READONLY
    case .noFolder, .longFiles, .cut: SQLITE_OK
    case .kill: Int32(FaultyOutcomeExit)
    case .tear: Int32(FaultyOutcomeTear)
    }
  }
}
