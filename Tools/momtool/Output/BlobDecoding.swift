import DataModels
import Foundation
import ManagedObjects
import PropertyLists

/// Decodes binary values of a store.
enum BlobDecoding {
  /// The limit on the size of decompressed data.
  private static let limit = 64 << 20

  /// Decodes bytes: a property list or a keyed archive as its plain value, text as text, and either of them if
  /// compressed with gzip or zlib. Other compressed data becomes an object with the field `@decompressed`. Nil for
  /// anything else.
  static func listed(_ data: Data) -> ListedValue? {
    let bytes = Array(data)
    guard let inner = Compression.decompressed(bytes, limit: limit) else { return plain(bytes) }
    return plain(inner) ?? .record([(name: "@decompressed", value: .bytes(Data(inner)))])
  }

  private static func plain(_ bytes: [UInt8]) -> ListedValue? {
    if BinaryPropertyList.hasMagic(bytes) || bytes.starts(with: Array("<?xml".utf8)),
      let value = try? PlainArchive.value(of: bytes)
    {
      return value
    }
    guard !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }),
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    return .text(text)
  }
}
