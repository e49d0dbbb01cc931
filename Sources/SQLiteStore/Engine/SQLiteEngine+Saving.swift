import Foundation
import ManagedObjects

/// Writing.
extension SQLiteEngine {
  func save(_ changes: StoreChanges) throws {
    var session = SaveSession(engine: self)
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
    metadataChanged = false
    changes.inserted.visit { $0.version = 1 }
    // A store may have any number there.
    session.updated.visit { $0.version &+= 1 }
    takeAffectedValues(changes)
    for file in session.obsoleteFiles { try? FileManager.default.removeItem(at: file) }
  }
}

extension SQLiteError {
  /// The extended code of a broken uniqueness constraint.
  static let uniqueViolation: Int32 = 2067
}
