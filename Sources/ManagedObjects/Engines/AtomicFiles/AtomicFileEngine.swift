import DataModels
import Foundation
import PropertyLists

/// A store that can be saved to a location other than the one it was read from.
protocol MovableEngine: StoreEngine {
  /// Makes the next save write the store to another location.
  func move(to url: URL)
  /// Whether the next save writes the store to its location, where there is none or another one so far.
  var isUnwritten: Bool { get }
  /// Writes the store, as it was last saved, to another location.
  func write(to url: URL) throws
  /// Continues the versions of the rows of another engine of the same store.
  func takeRowVersions(of other: any StoreEngine)
}

/// A store that is read as a whole when it is opened, and written as a whole with every save: XML and binary stores.
///
/// All rows are kept in memory. A save writes a new file beside the old one and renames it, so that readers see
/// either the old store or the new one. A file that another process has written since it was read is never overwritten:
/// it is locked while it is looked at and replaced.
final class AtomicFileEngine<Format: AtomicFileFormat>: MovableEngine, RowTablesEngine,
  MetadataSavingEngine
{
  var reference: StoreReference
  let isReadOnly: Bool
  let rows: RowTables
  private(set) var url: URL
  private var format: Format
  var storedMetadata: [String: Any]
  var metadataChanged = false
  /// Whether the next save writes the file even without changes, because it doesn't exist yet or the location has
  /// changed.
  private var wantsFile: Bool
  /// The file's state when it was last read or written; nil if there is no file.
  private var state: FileState?

  /// - Parameters:
  ///   - state: the file's state when it was read; nil if there is no file.
  ///   - isNew: whether the file doesn't contain the store yet.
  init(
    _ format: Format, at url: URL, rows: RowTables, isReadOnly: Bool, state: FileState?,
    isNew: Bool
  ) {
    self.format = format
    self.url = url
    self.rows = rows
    self.isReadOnly = isReadOnly
    self.state = state
    reference = rows.reference
    storedMetadata = format.metadata
    wantsFile = isNew
  }

  /// Makes the next save record the model's version.
  func takeVersion(of opening: StoreOpening) {
    takeVersion(from: opening.newMetadata(Format.storeType))
  }

  // MARK: Writing

  /// Object numbers are unique within a file, across entities.
  func reserveKeys(_ count: Int, for root: EntityLayout) throws -> Int64 {
    // The store may have been at another URL, where numbers were reserved that its file didn't say.
    let known = max(format.lastKey, reference.lastReservedKey)
    let (last, overflow) = known.addingReportingOverflow(Int64(count))
    guard !overflow, last <= XMLStoreReader.largestKey else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "The store has run out of object numbers.")
    }
    (format.lastKey, reference.lastReservedKey) = (last, last)
    return known + 1
  }

  func wantsSave(isEmpty: Bool) -> Bool { (metadataChanged || wantsFile) && !isReadOnly }

  func prepare(_ changes: StoreChanges) throws -> any PreparedSave {
    let plan = try rows.plan(changes)
    let place = try StoreLocation.check(url, NSPersistentStoreSaveError)
    if case .file = place { try requireSameFile() }
    let before = rows.state
    rows.touchedKeys = []
    do {
      try rows.write(changes, plan)
      var next = format
      if !rows.touchedKeys.isEmpty || metadataChanged || wantsFile {
        try next.write(
          rows, touched: rows.touchedKeys, metadata: metadataChanged ? storedMetadata : nil)
      }
      return AtomicFileSave(
        engine: self, format: next, outcome: SaveOutcome(written: plan.written), before: before,
        draft: try draft(of: next, place))
    } catch {
      rows.restore(before)
      if let error = error as? PropertyListError { throw saveError(error) }
      throw error
    }
  }

  /// The new file beside the old one; nil if there is nothing to write.
  private func draft(of next: Format, _ place: StoreLocation) throws -> FileDraft? {
    if case .memory = place { return nil }
    guard wantsFile || metadataChanged || !rows.touchedKeys.isEmpty else { return nil }
    let limit = PropertyListLimits.default.byteCount
    guard next.bytes.count <= limit else {
      throw PropertyListError(
        .limitExceeded, "it would have \(next.bytes.count) bytes, and could not be read again")
    }
    let draft = try FileDraft(of: url.path)
    do {
      try draft.append(next.bytes)
    } catch {
      draft.discard()
      throw error
    }
    return draft
  }

  private func saveError(_ error: PropertyListError) -> NSError {
    CoreDataError.make(
      NSPersistentStoreSaveError, "The store can't be written: \(error).",
      userInfo: [NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: error])
  }

  /// Throws if another program has written the file since it was last read or written.
  private func requireSameFile() throws {
    guard let present = FileState(url), present != state else { return }
    // A file that was only touched, or replaced by an identical copy, counts as unchanged.
    if state != nil, let bytes = try? FileBytes.read(url.path, limit: .max), bytes == format.bytes {
      return
    }
    throw CoreDataError.make(
      NSPersistentStoreSaveError,
      "The store's file has been written by another process since it was read; open the store again.",
      userInfo: [NSFilePathErrorKey: url.path])
  }

  // MARK: Location

  func move(to url: URL) {
    self.url = url
    state = FileState(url)
    wantsFile = true
  }

  var isUnwritten: Bool { wantsFile }

  func write(to url: URL) throws {
    try SQLiteEngine.checkFile(url, NSPersistentStoreOperationError)
    var copy = format
    do {
      try copy.write(rows, touched: [], metadata: metadataChanged ? storedMetadata : nil)
    } catch let error as PropertyListError {
      throw saveError(error)
    }
    try Self.write(copy.bytes, to: url)
  }

  func takeRowVersions(of other: any StoreEngine) {
    guard let other = other as? AtomicFileEngine else { return }
    rows.takeVersions(of: other.rows, areSame: format.bytes == other.format.bytes)
  }

  fileprivate func commit(_ save: AtomicFileSave<Format>) throws {
    if let draft = save.draft {
      do { try publish(draft) } catch {
        draft.discard()
        rows.restore(save.before)
        throw (error as? PropertyListError).map(saveError) ?? error
      }
    }
    // Keys may have been reserved meanwhile.
    let lastKey = format.lastKey
    format = save.format
    format.lastKey = max(lastKey, format.lastKey)
    (metadataChanged, wantsFile) = (false, false)
  }
}

extension AtomicFileEngine {
  /// Moves a new file into place, if nobody else has since the last one was read.
  private func publish(_ draft: FileDraft) throws {
    let lock = try FileLock(of: url.path)
    try requireSameFile()
    try draft.publish(replaces: state != nil)
    state = FileState(url)
    _ = consume lock
  }
}

/// A save whose new file is ready beside the store's file.
private struct AtomicFileSave<Format: AtomicFileFormat>: PreparedSave {
  let engine: AtomicFileEngine<Format>
  let format: Format
  let outcome: SaveOutcome
  let before: RowTables.State
  let draft: FileDraft?

  func commit() throws -> SaveOutcome? {
    try engine.commit(self)
    return outcome
  }

  func rollBack() {
    draft?.discard()
    engine.rows.restore(before)
  }
}
