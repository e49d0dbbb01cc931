import Foundation
import PropertyLists

/// The information that a store records about the model with which it was created.
///
/// ```swift
/// let metadata = try StoreFile(at: "Shop.sqlite").metadata
/// print(metadata.identifier ?? "no UUID")
/// for (name, hash) in metadata.entityHashes { print(name, hash.base64EncodedString()) }
/// ```
public struct StoreMetadata: Sendable {
  /// The store's identifier, a UUID string; `nil` where the row has none.
  public var identifier: String?
  /// The kind of store: `SQLite`.
  public var storeType: String?
  /// The version hash of each entity by name; 32 bytes each in a valid store.
  public var entityHashes: [String: Data] = [:]
  /// The version of the hash algorithm: 3.
  public var hashesVersion: Int?
  /// The model's version identifiers.
  public var versionIdentifiers: [String] = []
  /// The digest of all hashes, in base64; newer stores only.
  public var digest: String?
  /// The model's checksum, in base64; newer stores only.
  public var checksum: String?
  /// The version of the framework that last wrote the metadata.
  public var frameworkVersion: Int?
  /// The bytes of the property list.
  public var propertyList: [UInt8]

  /// Creates empty metadata, for a store whose metadata can't be read.
  package init() { propertyList = [] }

  /// Reads the property list of a store's metadata.
  ///
  /// - Parameters:
  ///   - bytes: The contents of `Z_PLIST`.
  ///   - identifier: The contents of `Z_UUID`.
  /// - Throws: ``ModelFileError`` when it is invalid.
  public init(_ bytes: [UInt8], identifier: String? = nil) throws(ModelFileError) {
    let list: BinaryPropertyList
    do {
      list = try BinaryPropertyList(anyForm: bytes)
    } catch {
      var error = ModelFileError(error, path: nil)
      error.message = "Z_PLIST in table Z_METADATA: \(error.message)"
      throw error
    }
    propertyList = bytes
    self.identifier = identifier
    guard let (keys, values) = list.dictionary(at: list.top) else {
      throw Self.mismatch("the metadata to be a dictionary", list.top, in: list)
    }
    for position in keys.indices {
      try read(list.string(at: keys[position]) ?? "", values[position], of: list)
    }
  }

  private mutating func read(
    _ key: String, _ value: Int, of list: BinaryPropertyList
  ) throws(ModelFileError) {
    switch key {
    case "NSStoreModelVersionHashes":
      guard let (names, hashes) = list.dictionary(at: value) else {
        throw Self.mismatch("a dictionary of version hashes", value, in: list)
      }
      for position in names.indices {
        guard let name = list.string(at: names[position]),
          let hash = list.data(at: hashes[position])
        else { throw Self.mismatch("an entity's version hash", hashes[position], in: list) }
        entityHashes[name] = Data(hash)
      }
    case "NSStoreModelVersionIdentifiers":
      versionIdentifiers = list.elements(at: value)?.compactMap { list.string(at: $0) } ?? []
    case "NSStoreType": storeType = list.string(at: value)
    case "NSStoreModelVersionHashesVersion": hashesVersion = list.integer(at: value)
    case "NSStoreModelVersionHashesDigest": digest = list.string(at: value)
    case "NSStoreModelVersionChecksumKey": checksum = list.string(at: value)
    case "NSPersistenceFrameworkVersion": frameworkVersion = list.integer(at: value)
    default: break
    }
  }

  private static func mismatch(
    _ expected: String, _ object: Int, in list: BinaryPropertyList
  ) -> ModelFileError {
    ModelFileError(
      .malformed,
      "Z_PLIST in table Z_METADATA: expected \(expected), found \(list.value(at: object).kind)",
      offset: list.offset(of: object))
  }
}
