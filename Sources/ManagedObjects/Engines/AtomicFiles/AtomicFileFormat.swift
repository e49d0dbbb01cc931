import DataModels
import Foundation

/// How a store that is read and written as a whole lies in its file: what the file holds at the moment, and what it
/// will hold next.
protocol AtomicFileFormat {
  /// The name of the stores' type.
  static var storeType: String { get }
  /// What such a file is called in messages.
  static var formName: String { get }

  /// A store that has no file yet.
  init(metadata: [String: Any])
  /// The store in a file, as far as its metadata: no object is made.
  ///
  /// - Throws: ``StoreFileDamage`` for bytes that are none.
  init(_ bytes: [UInt8]) throws

  /// The file.
  var bytes: [UInt8] { get }
  /// The metadata in it, the store's type and UUID among them.
  var metadata: [String: Any] { get }
  /// The largest key that any object ever had.
  var lastKey: Int64 { get set }

  /// Looks whether the model's objects can be told apart in such files.
  ///
  /// - Throws: an `NSError` for a model whose objects can't.
  static func check(_ opening: StoreOpening) throws

  /// Makes the rows of the objects in the file.
  ///
  /// - Throws: ``StoreFileDamage`` for a file that isn't sound.
  mutating func load(_ rows: RowTables, _ opening: StoreOpening) throws

  /// Has ``bytes`` hold the present rows.
  ///
  /// - Parameters:
  ///   - touched: the keys of the rows that differ from what the file holds.
  ///   - metadata: new metadata; nil where they are what they were.
  mutating func write(
    _ rows: RowTables, touched: Set<Int64>, metadata: [String: Any]?) throws

  /// Has ``bytes`` hold other metadata, and the rest as it is.
  mutating func replaceMetadata(_ metadata: [String: Any]) throws
}

/// What is wrong with a store's file, and where.
struct StoreFileDamage: Error {
  /// What is wrong, in one sentence without a full stop.
  let problem: String
  /// The line and column, for a file of text.
  var place: (line: Int, column: Int)?
  /// The entity and property at fault, where the file names them: `Person.name`.
  var property: String?

  /// Core Data's error of a file that can't be read.
  func error(_ form: String, at url: URL) -> NSError {
    let position = place.map { ", line \($0.line), column \($0.column)" } ?? ""
    var userInfo: [String: Any] = [NSFilePathErrorKey: url.path, "reason": problem]
    userInfo["property"] = property
    if let place { (userInfo["line"], userInfo["column"]) = (place.line, place.column) }
    return CoreDataError.make(
      CocoaError.Code.fileReadCorruptFile.rawValue,
      "The file is no sound \(form): \(problem) (\(url.path)\(position)).", userInfo)
  }
}

/// Which file lies at a place, and in which state: to notice that somebody else has written it.
struct FileState: Equatable {
  private let device: UInt64
  private let number: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// Whether it is a file without a byte.
  var isEmpty: Bool { size == 0 && isFile }
  private let isFile: Bool

  /// The state of a file; nil where there is none.
  init?(_ url: URL) {
    var info = stat()
    guard stat(url.path, &info) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: info.st_dev)
    number = UInt64(truncatingIfNeeded: info.st_ino)
    size = Int64(info.st_size)
    isFile = info.st_mode & S_IFMT == S_IFREG
    #if canImport(Darwin)
      (seconds, nanoseconds) = (info.st_mtimespec.tv_sec, info.st_mtimespec.tv_nsec)
    #else
      (seconds, nanoseconds) = (info.st_mtim.tv_sec, info.st_mtim.tv_nsec)
    #endif
  }
}
