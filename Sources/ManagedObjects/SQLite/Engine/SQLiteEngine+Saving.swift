import Foundation

/// Writing.
extension SQLiteEngine {
  /// Keys are all a row has room for: each is looked at when it is bound.
  var checksReferences: Bool { true }

  func prepare(_ changes: StoreChanges) throws -> any PreparedSave {
    var session = SaveSession(engine: self)
    do {
      try write(changes, &session)
    } catch is UniqueValuesInTheWay {
      session = SaveSession(engine: self, freesUniqueValues: true)
      try write(changes, &session)
    }
    return SQLiteSave(changes, session)
  }

  /// Writes changes in a transaction, which stays open unless they can't be written.
  private func write(_ changes: StoreChanges, _ session: inout SaveSession) throws {
    do {
      try translatingErrors(NSPersistentStoreSaveError) {
        try requireFile()
        try connection.execute(SQLiteConnection.TransactionKind.immediate.rawValue)
        try affectedValues.listen {
          try requireSameStore()
          if !changes.isEmpty {
            try session.write(changes)
            if let historyWriter { try historyWriter.record(changes, session, engine: self) }
          }
          if metadataChanged { try writeMetadata() }
        }
      }
    } catch {
      session.takeBack()
      throw error
    }
  }

  func wantsSave(isEmpty: Bool) -> Bool { metadataChanged && !isReadOnly }

  /// What else there is to do once a save is in the file.
  fileprivate func finish(_ changes: StoreChanges, _ session: SaveSession) {
    if metadataChanged {
      metadataChanged = false
      recordedHashes = Self.hashes(of: storedMetadata)
    }
    changes.inserted.visit { $0.version = 1 }
    // A store may have any number there.
    session.updated.visit { $0.version &+= 1 }
    takeAffectedValues(changes)
    RetiredFiles.remove(session.obsoleteFiles, of: externalData.folder)
  }
}

/// A save whose transaction is open.
private struct SQLiteSave: PreparedSave {
  private let changes: StoreChanges
  private let session: SaveSession

  init(_ changes: StoreChanges, _ session: SaveSession) {
    self.changes = changes
    self.session = session
  }

  func commit() throws {
    let engine = session.engine
    do {
      try engine.translatingErrors(NSPersistentStoreSaveError) {
        try engine.connection.execute("COMMIT")
      }
    } catch {
      session.takeBack()
      throw error
    }
    engine.finish(changes, session)
  }

  func rollBack() { session.takeBack() }
}

extension SaveSession {
  /// Ends the transaction without a trace.
  fileprivate func takeBack() {
    // SQLite has already rolled back after some errors (disk full, for one).
    if engine.connection.isInTransaction { try? engine.connection.execute("ROLLBACK") }
    engine.affectedValues.forget()
    // Nothing names the files that were written for values of this save.
    for file in values.writtenFiles { try? FileManager.default.removeItem(at: file) }
  }
}

extension SQLiteError {
  /// The extended code of a broken uniqueness constraint.
  static let uniqueViolation: Int32 = 2067
}
