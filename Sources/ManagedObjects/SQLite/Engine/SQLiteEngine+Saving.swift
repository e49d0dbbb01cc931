import Foundation

/// Writing.
extension SQLiteEngine {
  /// Keys are all a row has room for: each is looked at when it is bound.
  var checksReferences: Bool { true }

  func prepare(_ changes: StoreChanges) throws -> any PreparedSave {
    var session = SaveSession(changes, engine: self)
    do {
      try write(&session)
    } catch is BlockingUniqueValues {
      session = SaveSession(changes, engine: self, freesUniqueValues: true)
      try write(&session)
    }
    return SQLiteSave(session: session)
  }

  /// Writes changes in a transaction, which stays open unless they can't be written.
  private func write(_ session: inout SaveSession) throws {
    do {
      try translatingErrors(NSPersistentStoreSaveError) {
        try requireFile()
        try connection.execute(SQLiteConnection.TransactionKind.immediate.rawValue)
        try affectedValues.listen {
          try requireSameStore()
          if !session.changes.isEmpty {
            try session.write()
            if let historyWriter { try historyWriter.record(session) }
          }
          if metadataChanged { try writeMetadata() }
        }
      }
    } catch {
      session.rollBack()
      throw error
    }
  }

  func wantsSave(isEmpty: Bool) -> Bool { metadataChanged && !isReadOnly }

  /// What else there is to do once a save is in the file.
  fileprivate func finish(_ session: SaveSession) -> SaveOutcome {
    if metadataChanged {
      metadataChanged = false
      recordedHashes = StoreMetadataKeys.versionHashes(in: storedMetadata)
    }
    RetiredFiles.remove(session.obsoleteFiles, of: externalData.folder)
    return SaveOutcome(
      written: session.written, others: session.others, derived: takeAffectedValues())
  }
}

/// A save whose transaction is open.
private struct SQLiteSave: PreparedSave {
  let session: SaveSession

  func commit() throws -> SaveOutcome? {
    let engine = session.engine
    do {
      try engine.translatingErrors(NSPersistentStoreSaveError) {
        try engine.connection.execute("COMMIT")
      }
    } catch {
      session.rollBack()
      throw error
    }
    return engine.finish(session)
  }

  func rollBack() { session.rollBack() }
}

extension SaveSession {
  /// Ends the transaction without a trace.
  fileprivate func rollBack() {
    // SQLite has already rolled back after some errors (disk full, for one).
    if engine.connection.isInTransaction { try? engine.connection.execute("ROLLBACK") }
    engine.affectedValues.forget()
    // Nothing names the files that were written for values of this save.
    for file in values.writtenFiles { try? FileManager.default.removeItem(at: file) }
  }
}
