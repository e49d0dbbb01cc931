import Foundation

/// A file in which a worker notes which mutation it is at, so that its end can be attributed.
struct ProgressFile {
  let path: String

  /// Notes a number.
  func write(_ number: Int, to handle: FileHandle) throws {
    try handle.seek(toOffset: 0)
    try handle.write(contentsOf: withUnsafeBytes(of: Int64(number).bigEndian) { Data($0) })
  }

  /// The number noted last; `nil` before the first.
  func read() -> Int? {
    guard let data = FileManager.default.contents(atPath: path), data.count == 8 else { return nil }
    return data.reduce(0) { $0 << 8 | Int($1) }
  }
}
