import Foundation
import PropertyLists

/// The external files beside a store that contain its large values.
///
/// The column contains a tag byte: 1, followed by the value itself, or 2, followed by the name of a file and a zero
/// byte.
struct ExternalData {
  /// The folder of the files, `.NAME_SUPPORT/_EXTERNAL_DATA` beside the store.
  let folder: URL
  /// The store, as its folder's name has it: what a link leads to, or a link that has a folder of its own.
  let store: URL
  /// Whether values stay in their rows whatever their size, as in an in-memory store, which has no place for files.
  private var keepsInline: Bool

  /// Values longer than this, in bytes, are stored in files.
  static let threshold = 100 * 1024

  /// The files of a store. A link to a store has the folder of the store that it leads to, unless a program that opened
  /// the link has made one beside it.
  init(store: URL, keepsInline: Bool = false) {
    self.keepsInline = keepsInline
    let beside = Self.folder(beside: store)
    guard Self.isLink(store), !FileManager.default.fileExists(atPath: beside.path) else {
      (self.store, folder) = (store, beside)
      return
    }
    self.store = URL(fileURLWithPath: FileBytes.resolvingLinks(store.path))
    folder = Self.folder(beside: self.store)
  }

  private static func folder(beside store: URL) -> URL {
    let stem = store.deletingPathExtension().lastPathComponent
    return store.deletingLastPathComponent()
      .appendingPathComponent(".\(stem)_SUPPORT").appendingPathComponent("_EXTERNAL_DATA")
  }

  private static func isLink(_ store: URL) -> Bool {
    var info = stat()
    return store.isFileURL && lstat(store.path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK
  }

  /// The names of the files that are there.
  var fileNames: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
  }

  /// The same folder, for values that are written into their columns.
  var inline: ExternalData {
    var copy = self
    copy.keepsInline = true
    return copy
  }

  /// The value of a column's bytes.
  ///
  /// - Throws: an `NSError` that names the file if it is missing.
  func value(of column: Data) throws -> Data {
    guard let tag = column.first else { return column }
    switch tag {
    case 1: return Data(column.dropFirst())
    case 2:
      guard let file = file(of: column) else {
        throw CoreDataError.make(
          NSCoreDataError, "The name of a value's external file is invalid; the row is damaged.")
      }
      do {
        return try contents(of: file)
      } catch {
        let problem = Self.isNoSuchFile(error) ? "is missing" : "can't be read"
        throw CoreDataError.make(
          NSCoreDataError, "The external file of a value \(problem): \(file.path)",
          [NSFilePathErrorKey: file.path, NSUnderlyingErrorKey: error])
      }
    // Possibly from before external storage was enabled: the bytes are the value.
    default: return column
    }
  }

  /// The contents of a file, which are mapped, so that only accessed parts are read: a list of photos needs none of
  /// them.
  ///
  /// Such a file is written only once, and its contents remain available after it is removed. As with all mapped
  /// memory, if it is truncated nevertheless, or the disk fails during access, the program is terminated (SIGBUS).
  private func contents(of file: URL) throws -> Data {
    // The number of mappings per process is limited.
    try (try? Data(contentsOf: file, options: .alwaysMapped)) ?? Data(contentsOf: file)
  }

  /// Whether an error means that a value's file is missing.
  static func isMissingFile(_ error: any Error) -> Bool {
    (error as NSError).userInfo[NSUnderlyingErrorKey].map { isNoSuchFile($0) } ?? false
  }

  private static func isNoSuchFile(_ error: Any) -> Bool {
    let error = error as? NSError
    return error?.domain == NSCocoaErrorDomain
      && error?.code == CocoaError.Code.fileReadNoSuchFile.rawValue
  }

  /// The file that a column's bytes refer to, if any.
  func file(of column: Data) -> URL? {
    guard column.first == 2 else { return nil }
    let name = String(decoding: column.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
    // The name must be a UUID, so that it can't lead out of the folder.
    guard UUID(uuidString: name) != nil else { return nil }
    return folder.appendingPathComponent(name)
  }

  /// The column's bytes for a value, and the file that was written for it, if it is large.
  func column(for value: Data) throws -> (bytes: Data, file: URL?) {
    guard value.count > Self.threshold, !keepsInline else { return (Data([1]) + value, nil) }
    let name = UUID().uuidString
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent(name)
    try value.write(to: file, options: .atomic)
    return (Data([2]) + Data(name.utf8) + Data([0]), file)
  }
}
