import Foundation
import ManagedObjects

/// Writing.
extension SQLiteEngine {
  func save(_ changes: StoreChanges) throws {
    var session = SaveSession(engine: self)
    do {
      try write(changes, &session)
    } catch is UniqueValuesInTheWay {
      session = SaveSession(engine: self, freesUniqueValues: true)
      try write(changes, &session)
    }
    metadataChanged = false
    changes.inserted.visit { $0.version = 1 }
    // A store may have any number there.
    session.updated.visit { $0.version &+= 1 }
    takeAffectedValues(changes)
    for file in session.obsoleteFiles { try? FileManager.default.removeItem(at: file) }
  }

  /// Writes changes in a transaction.
  private func write(_ changes: StoreChanges, _ session: inout SaveSession) throws {
    do {
      try translatingErrors(NSPersistentStoreSaveError) {
        try affectedValues.listen {
          try connection.transaction(.immediate) {
            try requireSameModel()
            try session.write(changes)
            if let historyWriter { try historyWriter.record(changes, session, engine: self) }
            if metadataChanged { try writeMetadata() }
          }
        }
      }
    } catch {
      // Nothing names the files that were written for values of this save.
      for file in session.values.writtenFiles { try? FileManager.default.removeItem(at: file) }
      throw error
    }
  }
}

extension SQLiteError {
  /// The extended code of a broken uniqueness constraint.
  static let uniqueViolation: Int32 = 2067
}
