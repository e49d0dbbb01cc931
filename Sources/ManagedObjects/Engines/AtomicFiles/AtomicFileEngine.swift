import DataModels
import Foundation
import PropertyLists

/// A store that can be written to another place than the one it was read from.
protocol MovableEngine: StoreEngine {
  /// Has the next save write the store to another place.
  func move(to url: URL)
}

/// A store that is read as a whole when it is opened, and written as a whole with every save: XML and binary stores.
///
/// The rows are in memory, as those of a store that is nowhere else. A save makes the new file beside the old one
/// and renames it: whoever looks meets the old store or the new one. The file isn't locked between; one that
/// somebody else has written meanwhile is never overwritten.
final class AtomicFileEngine<Format: AtomicFileFormat>: MovableEngine, RowTablesEngine {
  var reference: StoreReference
  let isReadOnly: Bool
  let rows: RowTables
  private(set) var url: URL
  private var format: Format
  /// The metadata as they will be after the next save.
  private var storedMetadata: [String: Any]
  private var metadataChanged = false
  /// Whether the next save writes the file whatever it changes: there is none yet, or it is at another place.
  private var wantsFile: Bool
  /// The file as it was read or written; nil where there is none.
  private var state: FileState?

  /// - Parameters:
  ///   - state: the file as it was read; nil where there is none.
  ///   - isNew: whether the file doesn't hold the store yet.
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

  /// The metadata, with changes that the next save writes.
  var metadata: [String: Any] {
    get { storedMetadata }
    set {
      storedMetadata = StoreMetadataKeys.keepingOwn(of: storedMetadata, in: newValue)
      metadataChanged = true
    }
  }

  /// Has the next save record that the store is of this version of the model.
  func takeVersion(of opening: StoreOpening) {
    let new = opening.newMetadata(Format.storeType)
    for key in StoreMetadataKeys.modelVersion { storedMetadata[key] = new[key] }
    metadataChanged = true
  }

  // MARK: Writing

  /// Numbers are given once in a whole file, whatever the entity.
  func reserveKeys(_ count: Int, for root: EntityLayout) throws -> Int64 {
    let (last, overflow) = format.lastKey.addingReportingOverflow(Int64(count))
    guard !overflow else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "The store has no more numbers for objects.")
    }
    let first = format.lastKey + 1
    format.lastKey = last
    return first
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

  /// The new file beside the old one; nil where nothing is to be written.
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
      [NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: error])
  }

  /// Refuses to write over what somebody else has written.
  private func requireSameFile() throws {
    guard let present = FileState(url), present != state else { return }
    // A file that was only touched, or copied to its place again, is the same.
    if state != nil, let bytes = try? FileBytes.read(url.path, limit: .max), bytes == format.bytes {
      return
    }
    throw CoreDataError.make(
      NSPersistentStoreSaveError,
      "The store's file was written by somebody else since it was read; open the store again.",
      [NSFilePathErrorKey: url.path])
  }

  // MARK: Places

  func move(to url: URL) {
    self.url = url
    state = FileState(url)
    wantsFile = true
  }

  fileprivate func commit(_ save: AtomicFileSave<Format>) throws {
    if let draft = save.draft {
      do throws(PropertyListError) { try draft.publish() } catch {
        draft.discard()
        rows.restore(save.before)
        throw saveError(error)
      }
      state = FileState(url)
    }
    // Keys may have been given meanwhile.
    let lastKey = format.lastKey
    format = save.format
    format.lastKey = max(lastKey, format.lastKey)
    (metadataChanged, wantsFile) = (false, false)
  }
}

/// A save whose file lies beside the store's.
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
