import DataModels
import Foundation

/// Stores that are only read, and that others write.
///
/// Their connections can't use SQLite's locks without leaving files beside the store, except while a writer has left
/// them there. So each request first looks whether the files are still as they were when the connection was opened, and
/// opens another if not.
extension SQLiteEngine {
  /// What opening the file again needs.
  struct Following {
    /// Whether the schema isn't checked, and what the file lacks is covered by views.
    let coversGaps: Bool
    /// The time to wait for a writer's lock, in seconds.
    let timeout: TimeInterval
  }

  /// Runs a request that reads, with the file's present content.
  ///
  /// - Parameters:
  ///   - sink: The receiver of rows, which may have to receive them anew: if another program has written the file
  ///     during the request, it is repeated.
  ///   - repeats: Whether the request may be repeated at all.
  /// - Throws: ``NSPersistentStoreTimeoutError`` if the file was written during a request that can't be repeated.
  @inline(__always)
  func followingFile<Result>(
    _ sink: (any RowSink)? = nil, repeats: Bool = true, _ body: () throws -> Result
  ) throws -> Result {
    guard following != nil, !isAnswering, !connection.isInTransaction else { return try body() }
    return try answer(sink, repeats: repeats, body)
  }

  @inline(never)
  private func answer<Result>(
    _ sink: (any RowSink)?, repeats: Bool, _ body: () throws -> Result
  ) throws -> Result {
    isAnswering = true
    defer { isAnswering = false }
    let restarting = sink as? any RestartingSink
    let start = restarting?.rowCount ?? 0
    var attempts = repeats && (sink == nil || restarting != nil) ? Self.answerAttempts : 1
    while true {
      try catchUp()
      do { return try body() } catch {
        attempts -= 1
        // The error may be what a file looks like in which pages were replaced.
        guard attempts > 0, !connection.isCurrent else { throw error }
        restarting?.startOver(at: start)
      }
    }
  }

  private static var answerAttempts: Int { 5 }

  /// Whether others have written the file since, and the connection can't notice it.
  var isBehind: Bool { following != nil && !connection.isCurrent }

  /// Opens the file again if others have written it and the connection wouldn't notice.
  ///
  /// - Throws: an error if the file is gone or isn't this store any more. The next request tries again.
  func catchUp() throws {
    guard let following, !connection.isCurrent else { return }
    let url = URL(fileURLWithPath: connection.path)
    try translatingErrors {
      // The old connection's locks must be gone before the file is opened other than through SQLite.
      try letGoOfConnection()
      guard FileState(url) != nil else {
        throw unreadable("The store's file was deleted or moved while it was open")
      }
      try SQLiteConnection.following(url, waits: true, timeout: following.timeout) { present in
        let schemaVersion = try requireThisStore(present, following)
        try replaceConnection(by: present)
        (readContentVersion, readSchemaVersion) = (nil, schemaVersion)
      }
    }
  }

  /// Checks that a file opened again is this store, in the same version of the model.
  ///
  /// - Returns: SQLite's number for its schema.
  private func requireThisStore(
    _ present: SQLiteConnection, _ following: Following
  ) throws -> Int64? {
    let schemaVersion = try present.integer("PRAGMA schema_version")
    guard try present.hasTable("Z_METADATA") else {
      throw unreadable("The store was destroyed while it was open")
    }
    let metadata = try present.readMetadata()
    guard metadata[StoreMetadataKeys.uuid] as? String == recordedIdentifier else {
      throw unreadable("The store was replaced by another while it was open")
    }
    if acceptedVersions.contains(where: { !$0.isEmpty }) {
      guard acceptedVersions.contains(StoreMetadataKeys.versionHashes(in: metadata)) else {
        throw migrated("nothing was read")
      }
    }
    do {
      if following.coversGaps {
        let gaps = try schema.gaps(in: present)
        if !gaps.isEmpty { try schema.cover(gaps, in: present) }
      } else if schemaVersion != readSchemaVersion {
        try schema.check(in: present)
      }
    } catch let error as SchemaError {
      throw CoreDataError.make(NSPersistentStoreIncompatibleSchemaError, "\(error)")
    }
    return schemaVersion
  }

  private func unreadable(_ text: String) -> NSError {
    CoreDataError.make(
      NSPersistentStoreOperationError, "\(text); nothing was read.",
      userInfo: [NSFilePathErrorKey: connection.path])
  }
}

/// A sink that can receive the rows of a request anew.
protocol RestartingSink: RowSink {
  /// How many rows were received.
  var rowCount: Int { get }
  /// Forgets all rows but the first, whose values may be out of date.
  func startOver(at count: Int)
}

extension RowCollector: RestartingSink {
  var rowCount: Int { rows.count }
}
