import Foundation

/// The record, kept in a copy, of how it was created.
struct PortRecord: Codable {
  /// The record's name in the copy's folder.
  static let fileName = ".momtool-port.json"

  /// The path of the original.
  var source: String
  /// The files written, each with the digest of its contents.
  var files: [String: String]

  /// Creates a record.
  init(source: String, files: [String: String]) {
    self.source = source
    self.files = files
  }

  /// Reads the record in a folder.
  ///
  /// - Returns: nil if the folder isn't a copy.
  init?(in folder: URL) {
    guard let data = try? Data(contentsOf: folder.appending(path: Self.fileName)),
      let record = try? JSONDecoder().decode(PortRecord.self, from: data)
    else { return nil }
    self = record
  }

  /// Decodes a record.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    source = try values.decode(String.self, forKey: .source)
    if let digests = try? values.decode([String: String].self, forKey: .files) {
      files = digests
    } else {
      // The records of earlier versions only name the files.
      let paths = try values.decode([String].self, forKey: .files)
      files = Dictionary(paths.map { ($0, Self.unknown) }) { first, _ in first }
    }
  }

  /// The record's own contents, the same for the same files.
  var data: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
      return try encoder.encode(self)
    }
  }

  /// Whether the contents that a file of the copy has now are someone else's.
  func isChanged(_ path: String, having contents: Data) -> Bool {
    guard let digest = files[path] else { return true }
    return digest != Self.unknown && digest != Self.digest(of: contents)
  }

  private static let unknown = ""

  /// Returns a number that shows whether contents are the same (64-bit FNV-1a). It protects against mistakes, not
  /// against attacks.
  static func digest(of contents: Data) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    contents.withUnsafeBytes { bytes in
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return String(hash, radix: 16)
  }
}
