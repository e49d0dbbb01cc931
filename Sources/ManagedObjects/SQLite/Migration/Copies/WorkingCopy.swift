import Foundation

/// A separate store that is modified while the original stays unchanged, and then replaces it.
///
/// The original's write lock is held throughout, and its contents are replaced in the transaction that holds it,
/// which makes the operation atomic. The copy is in a hidden folder beside the store; a folder found by the holder of
/// the lock was left behind by a terminated process.
struct WorkingCopy {
  let migration: StoreMigration
  private let folder: URL
  /// The copy, which has the store's file name.
  let copy: URL

  var connection: SQLiteConnection { migration.connection }
  private var url: URL { migration.url }

  init(_ migration: StoreMigration) {
    self.migration = migration
    folder = migration.url.deletingLastPathComponent()
      .appendingPathComponent(".\(migration.url.lastPathComponent).migrating")
    copy = folder.appendingPathComponent(migration.url.lastPathComponent)
  }

  /// Lets `work` create or change the copy, and replaces the store's contents by it.
  ///
  /// - Parameter old: the schema of the store, if the copy is to be a new one, without the program's tables: these
  ///   stay where they are. Otherwise the copy starts with the store's contents.
  /// - Returns: the names of the program's indexes and triggers that had to be dropped.
  @discardableResult
  func replacing(only old: StoreSchema? = nil, _ work: (URL) throws -> Void) throws -> [String] {
    let files = ExternalData(store: url)
    var (obsolete, lost): ([URL], [String]) = ([], [])
    do {
      try connection.transaction(.immediate) {
        let present = StoreMetadataKeys.versionHashes(in: try connection.readMetadata())
        guard present == migration.recordedHashes else { return }
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        if old == nil { try seed() }
        try work(copy)
        let before = try files.names()
        let after = try ExternalData(store: copy).names()
        try adoptFiles(after.subtracting(before))
        lost = try takeContents(
          insteadOf: old.map { try OwnTables($0, in: connection) })
        obsolete = before.subtracting(after).sorted().map {
          files.folder.appendingPathComponent($0)
        }
      }
    } catch let error as SQLiteError {
      throw MigrationError.database(error, isCancelled: migration.progress.isCancelled)
    }
    try? connection.execute("DETACH w")
    RetiredFiles.remove(obsolete, of: files.folder)
    return lost
  }

  // MARK: Creating the copy

  private func seed() throws {
    let source = try SQLiteConnection(
      writing: url, creation: .existing, timeout: connection.timeout)
    let target = try SQLiteConnection(writing: copy, creation: .ifMissing)
    _ = try target.replaceContents(with: source)
    try Self.share(ExternalData(store: url), with: copy)
  }

  /// Links a store's external files to a copy of the store.
  static func share(_ from: ExternalData, with copy: URL) throws {
    let to = ExternalData(store: copy)
    try RetiredFiles.retrying {
      for name in try from.names().sorted() { try to.take(name, of: from, links: true) }
    }
  }

  // MARK: Replacing the store

  private func adoptFiles(_ names: Set<String>) throws {
    let (from, to) = (ExternalData(store: copy), ExternalData(store: url))
    for name in names.sorted() { try to.take(name, of: from, links: true) }
  }
}

extension ExternalData {
  /// The names of the existing files.
  func names() throws -> Set<String> {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return Set(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
        UUID(uuidString: $0) != nil
      })
  }
}
