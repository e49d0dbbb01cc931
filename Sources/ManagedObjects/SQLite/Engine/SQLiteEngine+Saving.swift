import Foundation

/// Saving.
extension SQLiteEngine {
  /// True: rows can only contain keys, and each reference is checked when it is bound.
  var checksReferences: Bool { true }

  /// True: a hidden column of the member's table contains the owner's key.
  var keepsOneOwner: Bool { true }

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

  /// Refuses to write for the handler or the predicate of a batch request: what these write would share the fate of the batch.
  func requireNoBatch() throws {
    guard connection.isInTransaction else { return }
    throw CoreDataError.make(
      NSPersistentStoreSaveError,
      "The store can't be written while a batch request of the same store calls the program: do so before or after "
        + "it, or use a store of its own.")
  }

  /// Writes changes in a transaction, which stays open unless they can't be written.
  private func write(_ session: inout SaveSession) throws {
    try requireNoBatch()
    do {
      try translatingErrors(NSPersistentStoreSaveError) {
        try requireFile()
        try connection.begin(.immediate)
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

  /// Completes a save after its commit.
  fileprivate func finish(_ session: SaveSession) -> SaveOutcome {
    if metadataChanged {
      metadataChanged = false
      recordedHashes = StoreMetadataKeys.versionHashes(in: storedMetadata)
      recordedIdentifier = storedMetadata[StoreMetadataKeys.uuid] as? String
    }
    RetiredFiles.remove(session.obsoleteFiles, of: externalData.folder)
    return SaveOutcome(written: session.written, derived: takeAffectedValues())
  }
}

/// A save with an open transaction.
private struct SQLiteSave: PreparedSave {
  let session: SaveSession

  func commit() throws -> SaveOutcome? {
    let engine = session.engine
    do {
      try engine.translatingErrors(NSPersistentStoreSaveError) {
        try engine.connection.commit()
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
  /// Rolls the transaction back, and removes its files.
  fileprivate func rollBack() {
    // After some errors, such as a full disk, SQLite has already rolled back.
    if engine.connection.isInTransaction { try? engine.connection.execute("ROLLBACK") }
    engine.affectedValues.forget()
    engine.orderEnds.forget()
    // No row refers to the files that were written for this save.
    for file in values.writtenFiles { try? FileManager.default.removeItem(at: file) }
  }
}
