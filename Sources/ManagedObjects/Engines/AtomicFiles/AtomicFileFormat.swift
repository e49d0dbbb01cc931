import DataModels
import Foundation

/// The file format of a store that is read and written as a whole: its current content, and the content to write
/// next.
protocol AtomicFileFormat {
  /// The store type's name.
  static var storeType: String { get }
  /// The format's name in messages.
  static var formName: String { get }

  /// Creates a store that has no file yet.
  init(metadata: [String: Any])
  /// Reads a store's file as far as its metadata, without creating any rows.
  ///
  /// - Throws: ``StoreFileDamage`` for bytes in another format.
  init(_ bytes: [UInt8]) throws

  /// The file's content.
  var bytes: [UInt8] { get }
  /// The store's metadata, including its type and UUID.
  var metadata: [String: Any] { get }
  /// The largest key ever used by an object.
  var lastKey: Int64 { get set }

  /// Checks that the model's objects can be distinguished in this format.
  ///
  /// - Throws: an `NSError` for a model whose objects can't.
  static func check(_ opening: StoreOpening) throws

  /// Creates the rows of the objects in the file.
  ///
  /// - Throws: ``StoreFileDamage`` for a damaged file.
  mutating func load(_ rows: RowTables, _ opening: StoreOpening) throws

  /// Updates ``bytes`` to the current rows.
  ///
  /// - Parameters:
  ///   - touched: the keys of the rows that differ from the file.
  ///   - metadata: new metadata; nil if unchanged.
  mutating func write(
    _ rows: RowTables, touched: Set<Int64>, metadata: [String: Any]?) throws

  /// Updates ``bytes`` to new metadata, leaving the rest as it is.
  mutating func replaceMetadata(_ metadata: [String: Any]) throws
}

/// A problem in a store's file, and its position.
struct StoreFileDamage: Error {
  /// The problem, as one sentence without a full stop.
  let problem: String
  /// The line and column, for a text file.
  var place: (line: Int, column: Int)?
  /// The entity and property concerned, if the file names them: `Person.name`.
  var property: String?

  /// Core Data's error for an unreadable file.
  func error(_ form: String, at url: URL) -> NSError {
    let position = place.map { ", line \($0.line), column \($0.column)" } ?? ""
    var userInfo: [String: Any] = [NSFilePathErrorKey: url.path, "reason": problem]
    userInfo["property"] = property
    if let place { (userInfo["line"], userInfo["column"]) = (place.line, place.column) }
    return CoreDataError.make(
      CocoaError.Code.fileReadCorruptFile.rawValue,
      "The file is not a valid \(form): \(problem) (\(url.path)\(position)).", userInfo: userInfo)
  }
}
