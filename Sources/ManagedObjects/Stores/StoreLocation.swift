import Foundation

/// The kind of file at a store's location, with symbolic links resolved.
enum StoreLocation {
  /// Nothing yet.
  case empty
  /// A file.
  case file
  /// `/dev/null`, or below it: a store there is one in memory; see ``sharedName(of:)``.
  case memory
  /// A folder, a device, a pipe or a socket: unsuitable for a store, and never replaced or removed.
  case unsuitable

  /// Examines a location.
  init(_ url: URL) {
    guard url.isFileURL else {
      self = .empty
      return
    }
    if url.standardizedFileURL.path == "/dev/null" || Self.sharedName(of: url) != nil {
      self = .memory
      return
    }
    var info = stat()
    guard stat(url.path, &info) == 0 else {
      self = .empty
      return
    }
    switch info.st_mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFCHR where info.st_rdev == Self.nullDevice: self = .memory
    default: self = .unsuitable
    }
  }

  /// The name of the database that all SQLite stores of the process at a path below `/dev/null` share, as in Core Data: it
  /// lives as long as one of them. Nil for any other location: at `/dev/null` itself each store has a database of its own.
  static func sharedName(of url: URL) -> String? {
    let folder = "/dev/null/"
    guard url.isFileURL else { return nil }
    let path = url.standardizedFileURL.path
    guard path.hasPrefix(folder), path.utf8.count > folder.utf8.count else { return nil }
    return String(path.dropFirst(folder.count))
  }

  /// Whether a store at a location is one in memory.
  static func isInMemory(_ url: URL) -> Bool {
    if case .memory = StoreLocation(url) { true } else { false }
  }

  /// The device number of `/dev/null`, to recognize it under another name.
  private static let nullDevice: dev_t = {
    var info = stat()
    return stat("/dev/null", &info) == 0 && info.st_mode & S_IFMT == S_IFCHR ? info.st_rdev : 0x103
  }()

  /// Throws if a location is unsuitable for a store.
  ///
  /// - Throws: an error with `code`.
  static func check(_ url: URL, _ code: Int) throws -> StoreLocation {
    let place = StoreLocation(url)
    guard case .unsuitable = place else { return place }
    throw CoreDataError.make(
      code, "A store must be a file, which \(url.path) isn't.",
      userInfo: [NSFilePathErrorKey: url.path])
  }

  /// Whether a file itself is at a location, and no link to one: files beside a store are removed only then.
  static func isFileItself(_ url: URL) -> Bool { kindItself(url) == S_IFREG }

  /// Whether a folder itself is at a location, and no link to one.
  static func isFolderItself(_ url: URL) -> Bool { kindItself(url) == S_IFDIR }

  private static func kindItself(_ url: URL) -> mode_t? {
    var info = stat()
    return lstat(url.path, &info) == 0 ? info.st_mode & S_IFMT : nil
  }

  /// Whether there is an empty file at a location, without a log beside it: what is left of a store that was destroyed.
  static func isEmptyFile(_ url: URL) -> Bool {
    guard case .file = StoreLocation(url) else { return false }
    var info = stat()
    guard stat(url.path, &info) == 0, info.st_size == 0 else { return false }
    // SQLite's log is beside the file that a link leads to.
    return stat(url.resolvingSymlinksInPath().path + "-wal", &info) != 0
  }

  /// Whether a store can be made at a location: nothing is there, or an empty file. In memory, unless there is a database
  /// of the name.
  static func isFree(_ url: URL) -> Bool {
    switch StoreLocation(url) {
    case .empty: true
    case .file: isEmptyFile(url)
    case .memory: !SQLiteConnection.hasTables(inMemory: url)
    case .unsuitable: false
    }
  }

  /// Whether there is a file at a location that this process may not write, or beside which SQLite can't make the
  /// journal that it needs for writing.
  static func isWriteProtected(_ url: URL) -> Bool {
    guard case .file = StoreLocation(url) else { return false }
    let file = url.resolvingSymlinksInPath()
    return isRefused(file.path)
      || isRefused(file.deletingLastPathComponent().path)
        && faccessat(AT_FDCWD, file.path + "-wal", W_OK, AT_EACCESS) != 0
  }

  /// Whether writing is forbidden by permissions or by the file system; not if it fails for another reason.
  private static func isRefused(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 && [EACCES, EPERM, EROFS].contains(errno)
  }

  /// Creates an empty file at an unused location, but not at the target of a dangling symbolic link. A missing folder
  /// isn't created, since no store can be in it.
  static func makeEmptyFile(at url: URL) throws {
    guard url.isFileURL else { return }
    let file = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file < 0 else {
      close(file)
      return
    }
    guard ![EEXIST, ENOENT, ENOTDIR].contains(errno) else { return }
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "No empty file could be created at \(url.path): \(String(cString: strerror(errno))).",
      userInfo: [NSFilePathErrorKey: url.path])
  }

  /// Whether two URLs refer to the same location; false for stores in memory that have no name in common.
  static func isSame(_ one: URL, _ other: URL) -> Bool {
    guard one.isFileURL, other.isFileURL else { return one.absoluteURL == other.absoluteURL }
    if isInMemory(one) {
      let name = sharedName(of: one)
      return name != nil && name == sharedName(of: other)
    }
    return one.standardizedFileURL == other.standardizedFileURL
      || one.resolvingSymlinksInPath().path == other.resolvingSymlinksInPath().path
  }
}
