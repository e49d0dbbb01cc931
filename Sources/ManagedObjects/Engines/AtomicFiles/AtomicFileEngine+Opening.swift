import DataModels
import Foundation
import PropertyLists

/// Opening, creating and replacing stores, and access to closed ones.
extension AtomicFileEngine: StoreEngineType {
  static func open(_ opening: StoreOpening) throws -> any StoreEngine {
    guard let url = opening.url, url.isFileURL else {
      throw CoreDataError.make(
        NSPersistentStoreOpenError,
        "A store of the type '\(Format.storeType)' needs the URL of a file."
      )
    }
    try opening.refuseDerivedAttributes(Format.storeType)
    try opening.refuseConstraints(Format.storeType)
    try Format.check(opening)
    let isReadOnly = StoreOptions.isOn(NSReadOnlyPersistentStoreOption, in: opening.options)
    guard case .file = try StoreLocation.check(url, NSPersistentStoreOpenError), !isEmpty(url)
    else {
      return try make(opening, at: url, isReadOnly: isReadOnly)
    }
    var (format, state) = try read(url)
    var takesVersion = false
    do {
      takesVersion = try needsVersion(format.metadata, opening, at: url)
    } catch {
      guard !isReadOnly, MigrationRequest.isAllowed(opening.options) else { throw error }
      // Nobody saves meanwhile, and another opener waits, to find the store migrated.
      let lock = try locked(url)
      (format, state) = try read(url)
      if (try? needsVersion(format.metadata, opening, at: url)) == nil {
        try AtomicFileMigration(
          request: MigrationRequest(
            url: url, metadata: format.metadata, model: opening.model, options: opening.options,
            storeType: Format.storeType, configuration: opening.configuration)
        ).run()
        (format, state) = try read(url)
      }
      takesVersion = try needsVersion(format.metadata, opening, at: url)
      _ = consume lock
    }
    let rows = RowTables(reference(format.metadata, opening), isForFile: true)
    try translating(url) { try format.load(rows, opening) }
    let engine = AtomicFileEngine(
      format, at: url, rows: rows, isReadOnly: isReadOnly, state: state, isNew: false)
    if takesVersion { engine.takeVersion(of: opening) }
    return engine
  }

  private static func make(
    _ opening: StoreOpening, at url: URL, isReadOnly: Bool
  ) throws -> AtomicFileEngine {
    if isReadOnly, case .empty = StoreLocation(url) {
      throw CoreDataError.make(
        CocoaError.Code.fileReadNoSuchFile.rawValue, "There is no store to read.",
        userInfo: [NSFilePathErrorKey: url.path])
    }
    try opening.refuseUndefinedAttributes()
    var format = Format(metadata: opening.newMetadata(Format.storeType))
    let rows = RowTables(reference(format.metadata, opening), isForFile: true)
    try format.load(rows, opening)
    return AtomicFileEngine(
      format, at: url, rows: rows, isReadOnly: isReadOnly, state: FileState(url), isNew: true)
  }

  private static func reference(
    _ metadata: [String: Any], _ opening: StoreOpening
  ) -> StoreReference {
    let identifier = metadata[NSStoreUUIDKey] as? String ?? UUID().uuidString
    if let known = opening.reference, known.identifier == identifier { return known }
    return StoreReference(identifier: identifier, layouts: opening.layouts)
  }

  /// Whether the next save must write the model's version hashes to the file.
  ///
  /// - Throws: ``NSPersistentStoreIncompatibleVersionHashError`` for a store of another version.
  private static func needsVersion(
    _ metadata: [String: Any], _ opening: StoreOpening, at url: URL
  ) throws -> Bool {
    let hashes = metadata[StoreMetadataKeys.hashes] as? [String: Data]
    if StoreOptions.isOn(NSIgnorePersistentStoreVersioningOption, in: opening.options) {
      return hashes != opening.versionHashes
    }
    // Files from Mac OS X 10.4 have no version hashes.
    guard hashes != nil else { return false }
    try opening.checkVersion(of: metadata, at: url)
    return false
  }

  private static func isEmpty(_ url: URL) -> Bool {
    var info = stat()
    return stat(url.path, &info) == 0 && info.st_size == 0
  }

  // MARK: Files

  /// Reads the file as far as the store's metadata, and the file's state.
  private static func read(_ url: URL) throws -> (Format, FileState?) {
    // Taken before reading, so that a write during the read is noticed later.
    let state = FileState(url)
    guard !OpenStoreFiles.shared.isOpen(url.path) else {
      throw StoreFileDamage(problem: "it is \(StoreFileKind.sqlite.text)").error(
        Format.formName, at: url)
    }
    let bytes: [UInt8]
    do throws(PropertyListError) { bytes = try FileBytes.read(url.path) } catch {
      throw CoreDataError.make(
        state == nil
          ? CocoaError.Code.fileReadNoSuchFile.rawValue : CocoaError.Code.fileReadUnknown.rawValue,
        "The store can't be read: \(error).",
        userInfo: [NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: error])
    }
    if let kind = StoreFileKind(bytes), kind.storeType != Format.storeType {
      throw StoreFileDamage(problem: "it is \(kind.text)").error(Format.formName, at: url)
    }
    return (try translating(url) { try Format(bytes) }, state)
  }

  /// The lock of a file that is going to be migrated. Another migration may take long.
  private static func locked(_ url: URL) throws -> FileLock {
    do throws(PropertyListError) { return try FileLock(of: url.path, waiting: 600) } catch {
      throw MigrationError.failed("The store can't be locked: \(error)")
    }
  }

  private static func translating<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result
  {
    do { return try body() } catch let damage as StoreFileDamage {
      throw damage.error(Format.formName, at: url)
    }
  }

  private static func readClosed(_ url: URL) throws -> Format {
    try SQLiteEngine.checkFile(url, NSPersistentStoreOpenError)
    return try read(url).0
  }

  static func write(_ bytes: [UInt8], to url: URL) throws {
    do throws(PropertyListError) { try AtomicFile.write(bytes, to: url.path) } catch {
      throw CoreDataError.make(
        NSPersistentStoreSaveError, "The store can't be written: \(error).",
        userInfo: [NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: error])
    }
  }

  static func metadata(at url: URL, options: [AnyHashable: Any]?) throws -> [String: Any] {
    try readClosed(url).metadata
  }

  static func setMetadata(
    _ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]?
  ) throws {
    var format = try readClosed(url)
    try format.replaceMetadata(
      StoreMetadataKeys.keepingOwn(of: format.metadata, in: metadata))
    try write(format.bytes, to: url)
  }

  static func replace(
    at url: URL, withStoreAt source: URL, options: [AnyHashable: Any]?
  ) throws {
    try SQLiteEngine.checkFile(url, NSPersistentStoreOperationError)
    try write(readClosed(source).bytes, to: url)
  }

  /// Removes the file. No reader depends on parts of it, so it can be unlinked.
  static func destroy(at url: URL, options: [AnyHashable: Any]?) throws {
    guard case .file = try StoreLocation.check(url, NSPersistentStoreOperationError) else { return }
    try FileManager.default.removeItem(at: url.resolvingSymlinksInPath())
  }
}

extension StoreOpening {
  /// The metadata of a new store.
  func newMetadata(_ type: String) -> [String: Any] {
    let version = FrameworkVersion.current
    let hashes = versionHashes
    return [
      StoreMetadataKeys.type: type, StoreMetadataKeys.uuid: UUID().uuidString,
      StoreMetadataKeys.hashes: hashes, StoreMetadataKeys.hashesVersion: 3,
      StoreMetadataKeys.identifiers: versionIdentifiers,
      StoreMetadataKeys.frameworkVersion: version.rawValue,
      StoreMetadataKeys.digest: VersionHashes.digest(of: hashes),
      StoreMetadataKeys.checksum: VersionHashes.checksum(of: hashes),
    ]
  }

  /// Rejects entities with uniqueness constraints, which, according to Core Data's header, other stores than SQLite
  /// don't support.
  func refuseConstraints(_ type: String) throws {
    for entity in model.entities where entityNames?.contains(entity.name ?? "") ?? true {
      guard let constraint = entity.uniquenessConstraints.first else { continue }
      let names = constraint.compactMap { $0 as? String }.joined(separator: ", ")
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError,
        "A store of the type '\(type)' can't have uniqueness constraints, such as "
          + "'\(entity.name ?? "")' has for \(names); use a SQLite store.")
    }
  }
}
