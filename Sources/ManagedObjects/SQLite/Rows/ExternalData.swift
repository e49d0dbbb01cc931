import Foundation

/// The files beside a store that hold its large values.
///
/// The column holds a tag byte: 1, and the value itself follows; 2, and the name of a file follows,
/// with a zero byte after it.
struct ExternalData {
  /// The folder of the files, `.NAME_SUPPORT/_EXTERNAL_DATA` beside the store.
  let folder: URL
  /// Whether values stay in their rows, whatever their size: a store in memory has no place for files.
  private let keepsInline: Bool

  /// Values longer than this, in bytes, are put into files.
  static let threshold = 100 * 1024

  init(store: URL, keepsInline: Bool = false) {
    self.keepsInline = keepsInline
    let stem = store.deletingPathExtension().lastPathComponent
    folder = store.deletingLastPathComponent()
      .appendingPathComponent(".\(stem)_SUPPORT").appendingPathComponent("_EXTERNAL_DATA")
  }

  /// The value that a column's bytes stand for.
  ///
  /// - Throws: an `NSError` that names the file when it is missing.
  func value(of column: Data) throws -> Data {
    guard let tag = column.first else { return column }
    switch tag {
    case 1: return Data(column.dropFirst())
    case 2:
      guard let file = file(of: column) else {
        throw CoreDataError.make(
          NSCoreDataError, "A value's external file has no proper name; the row is damaged.")
      }
      do {
        return try contents(of: file)
      } catch {
        throw CoreDataError.make(
          NSCoreDataError, "The external file of a value is missing: \(file.path)",
          [NSFilePathErrorKey: file.path, NSUnderlyingErrorKey: error])
      }
    // From before external storage was switched on, perhaps: the bytes are the value.
    default: return column
    }
  }

  /// What a file holds, which is read as far as somebody looks at it: a list of photographs needs none of them.
  ///
  /// Nobody writes such a file a second time, and where it is removed its contents stay for who has them.
  /// One that is cut short all the same, or a disk that fails while it is looked at, ends the program (SIGBUS), as
  /// with all mapped memory.
  private func contents(of file: URL) throws -> Data {
    // Processes have only so many mappings.
    try (try? Data(contentsOf: file, options: .alwaysMapped)) ?? Data(contentsOf: file)
  }

  /// Whether an error says that a value's file is missing.
  static func isMissingFile(_ error: any Error) -> Bool {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    return underlying?.domain == NSCocoaErrorDomain
      && underlying?.code == CocoaError.Code.fileReadNoSuchFile.rawValue
  }

  /// The file a column's bytes name, if they name one.
  func file(of column: Data) -> URL? {
    guard column.first == 2 else { return nil }
    let name = String(decoding: column.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
    // A name is a UUID: nothing that leads out of the folder.
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
