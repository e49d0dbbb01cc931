import Foundation
import PropertyLists

extension VersionInfo {
  /// The file's name in a bundle.
  public static let fileName = "VersionInfo.plist"
  /// The file read in its place if it is missing.
  static let fallbackFileName = "Info.plist"

  /// Reads the file of a bundle: `VersionInfo.plist` or, if that is missing, `Info.plist`.
  ///
  /// - Parameter path: The bundle.
  /// - Throws: ``ModelFileError`` when neither exists, or the file is invalid.
  public init(inBundle path: String) throws(ModelFileError) {
    guard let file = Self.file(in: path) else {
      throw ModelFileError(.notFound, "the bundle has no \(Self.fileName)", path: path)
    }
    try self.init(contentsOf: file)
  }

  /// Reads a file, binary or XML.
  ///
  /// - Throws: ``ModelFileError`` when it can't be read, or is invalid.
  public init(contentsOf path: String) throws(ModelFileError) {
    do {
      try self.init(BinaryPropertyList(anyForm: FileBytes.read(path)), path: path)
    } catch let error as ModelFileError {
      throw error
    } catch let error as PropertyListError {
      throw ModelFileError(error, path: path)
    } catch {
      throw ModelFileError(.unreadable, "\(error)", path: path)
    }
  }

  /// Parses the file's contents.
  ///
  /// - Throws: ``ModelFileError`` when they are invalid.
  public init(_ bytes: [UInt8]) throws(ModelFileError) {
    let list: BinaryPropertyList
    do {
      list = try BinaryPropertyList(anyForm: bytes)
    } catch {
      throw ModelFileError(error, path: nil)
    }
    try self.init(list, path: nil)
  }

  /// The file of a bundle that has the version keys; `nil` when there is none.
  static func file(in bundle: String) -> String? {
    let path = PathText.joined(bundle, fileName)
    if FileManager.default.fileExists(atPath: path) { return path }
    let fallback = PathText.joined(bundle, fallbackFileName)
    if let bytes = try? FileBytes.read(fallback, limit: 1 << 24),
      let list = try? BinaryPropertyList(anyForm: bytes),
      list.value(forKey: Key.hashes, ofDictionary: list.top) != nil
    {
      return fallback
    }
    return nil
  }

  /// Whether a folder's contents make it a bundle.
  static func exists(in folder: String) -> Bool { file(in: folder) != nil }

  private init(_ list: BinaryPropertyList, path: String?) throws(ModelFileError) {
    let reader = VersionInfoReader(list: list, path: path)
    guard let (keys, values) = list.dictionary(at: list.top) else {
      throw reader.mismatch("a dictionary", list.top, key: nil)
    }
    self.init(versions: [], currentVersionName: nil)
    var places: [String: Int] = [:]
    var seen = Set<String>()
    for position in keys.indices {
      let key = list.string(at: keys[position]) ?? ""
      // If a key is repeated, its first value counts, as for every dictionary in the package.
      guard seen.insert(key).inserted else { continue }
      let value = values[position]
      switch key {
      case Key.current: currentVersionName = try reader.text(value, key: key)
      case Key.hashes:
        for (name, hashes) in try reader.entries(value, key: key) {
          places[name] = versions.count
          versions.append(
            Version(name: name, entityHashes: try reader.hashes(hashes, version: name)))
        }
      case Key.checksums: break
      default: unknownKeys.append((key, value))
      }
    }
    if let checksums = list.value(forKey: Key.checksums, ofDictionary: list.top) {
      hasChecksums = true
      for (name, value) in try reader.entries(checksums, key: Key.checksums) {
        let checksum = try reader.text(value, key: name)
        if let place = places[name] {
          versions[place].checksum = checksum
        } else {
          places[name] = versions.count
          versions.append(Version(name: name, entityHashes: [:], checksum: checksum))
        }
      }
    }
    if !unknownKeys.isEmpty { source = list }
    sharesVersionNames = reader.sharesVersionNames
  }
}

/// Extracts typed values from the property list.
private struct VersionInfoReader {
  let list: BinaryPropertyList
  let path: String?

  func text(_ object: Int, key: String) throws(ModelFileError) -> String {
    guard let text = list.string(at: object) else { throw mismatch("a string", object, key: key) }
    return text
  }

  func entries(
    _ object: Int, key: String
  ) throws(ModelFileError) -> [(name: String, value: Int)] {
    guard let (keys, values) = list.dictionary(at: object) else {
      throw mismatch("a dictionary", object, key: key)
    }
    var seen = Set<String>(minimumCapacity: keys.count)
    var entries: [(name: String, value: Int)] = []
    entries.reserveCapacity(keys.count)
    for position in keys.indices {
      guard let name = list.string(at: keys[position]) else {
        throw mismatch("a string", keys[position], key: key)
      }
      if seen.insert(name).inserted { entries.append((name, values[position])) }
    }
    return entries
  }

  func hashes(_ object: Int, version: String) throws(ModelFileError) -> [String: Data] {
    let entries = try entries(object, key: version)
    var hashes = [String: Data](minimumCapacity: entries.count)
    for (name, value) in entries {
      guard let bytes = list.data(at: value) else { throw mismatch("data", value, key: name) }
      hashes[name] = Data(bytes)
    }
    return hashes
  }

  /// Whether the dictionaries of hashes and of checksums share the string of the first version's name. Files without
  /// checksums were written by versions of momc that don't share it.
  var sharesVersionNames: Bool {
    func firstKey(_ key: String) -> Int? {
      guard let value = list.value(forKey: key, ofDictionary: list.top),
        let keys = list.dictionary(at: value)?.keys, !keys.isEmpty
      else { return nil }
      return keys[0]
    }
    guard let hashes = firstKey(VersionInfo.Key.hashes),
      let checksums = firstKey(VersionInfo.Key.checksums)
    else { return false }
    return hashes == checksums
  }

  func mismatch(_ expected: String, _ object: Int, key: String?) -> ModelFileError {
    ModelFileError(
      .malformed, "expected \(expected), found \(list.value(at: object).kind)", path: path,
      key: key, offset: list.offset(of: object))
  }
}
