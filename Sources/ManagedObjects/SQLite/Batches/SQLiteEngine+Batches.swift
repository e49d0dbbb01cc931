import DataModels
import Foundation

/// The execution of a batch, inside its transaction.
protocol BatchRun {
  /// Files that no row refers to any more if the batch succeeds.
  var obsoleteFiles: [URL] { get }
  /// Files that were written for the batch's values.
  var writtenFiles: [URL] { get }

  /// Executes the batch.
  mutating func run() throws -> BatchOutcome
}

/// Batch requests: many rows, without objects, one transaction per batch.
extension SQLiteEngine {
  func insert(_ batch: BatchInsertion) throws -> BatchOutcome {
    var inserter = try BatchInserter(self, batch)
    return try run(&inserter)
  }

  func update(_ batch: BatchUpdate) throws -> BatchOutcome {
    var updater = try BatchUpdater(self, batch)
    return try run(&updater)
  }

  func delete(_ batch: BatchDeletion) throws -> BatchOutcome {
    var deleter = BatchDeleter(self, batch)
    return try run(&deleter)
  }

  private func run(_ batch: inout some BatchRun) throws -> BatchOutcome {
    try requireNoBatch()
    do {
      let outcome = try inBatch { try batch.run() }
      RetiredFiles.remove(batch.obsoleteFiles, of: externalData.folder)
      return outcome
    } catch {
      // No row refers to the files that were written for this batch.
      for file in batch.writtenFiles { try? FileManager.default.removeItem(at: file) }
      throw error
    }
  }

  private func inBatch(_ body: () throws -> BatchOutcome) throws -> BatchOutcome {
    try requireFile()
    do {
      return try connection.transaction(.immediate) {
        try requireSameStore()
        return try body()
      }
    } catch let error as SQLiteError where error.extendedCode == SQLiteError.uniqueViolation {
      throw CoreDataError.make(
        NSManagedObjectConstraintMergeError,
        "Values that must be unique are not: \(error.message).",
        userInfo: [NSSQLiteErrorDomain: NSNumber(value: error.extendedCode)])
    } catch let error as SQLiteError {
      throw error.cocoaError(NSPersistentStoreSaveError)
    }
  }

  /// The files of the values of some rows, to be removed once the rows no longer refer to them.
  ///
  /// - Parameter rows: a condition over the table's rows.
  func externalFiles(
    of columns: [String], in table: String, where rows: String
  ) throws -> [URL] {
    var files: [URL] = []
    for column in columns {
      try connection.withStatement(
        "SELECT \(column) FROM \(table) WHERE \(rows) AND substr(\(column), 1, 1) = x'02'"
      ) { row in
        while try row.step() {
          if let bytes = row.blob(at: 0), let file = externalData.file(of: bytes) {
            files.append(file)
          }
        }
      }
    }
    return files
  }
}
