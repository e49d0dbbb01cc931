import Foundation

/// What is at a store's place, links followed.
enum StoreLocation {
  /// Nothing yet.
  case empty
  /// A file.
  case file
  /// `/dev/null`: a store there is one in memory.
  case memory
  /// A folder, a device, a pipe or a socket: no place for a store, and nothing that is ever replaced or
  /// removed.
  case unsuitable

  /// Looks at a place.
  init(_ url: URL) {
    guard url.isFileURL else {
      self = .empty
      return
    }
    if url.standardizedFileURL.path == "/dev/null" {
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

  /// `/dev/null` under whatever name.
  private static let nullDevice: dev_t = {
    var info = stat()
    return stat("/dev/null", &info) == 0 && info.st_mode & S_IFMT == S_IFCHR ? info.st_rdev : 0x103
  }()

  /// Refuses what is no place for a store.
  ///
  /// - Throws: an error of `code`.
  static func check(_ url: URL, _ code: Int) throws -> StoreLocation {
    let place = StoreLocation(url)
    guard case .unsuitable = place else { return place }
    throw CoreDataError.make(
      code, "A store is a file, which \(url.path) isn't.", [NSFilePathErrorKey: url.path])
  }

  /// Makes an empty file where nothing at all is, not at the end of a link that leads nowhere either. A folder that
  /// isn't there has no store in it, and isn't made.
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
      "No empty file could be made at \(url.path): \(String(cString: strerror(errno))).",
      [NSFilePathErrorKey: url.path])
  }

  /// Whether two URLs are of one place; stores in memory have none in common.
  static func isSame(_ one: URL, _ other: URL) -> Bool {
    guard one.isFileURL, other.isFileURL else { return one.absoluteURL == other.absoluteURL }
    if case .memory = StoreLocation(one) { return false }
    return one.standardizedFileURL == other.standardizedFileURL
      || one.resolvingSymlinksInPath().path == other.resolvingSymlinksInPath().path
  }
}
