import Foundation
import PropertyLists

/// The content of a bundle's `VersionInfo.plist`: the versions, the hashes of their entities, and the current version.
///
/// ```swift
/// let info = try VersionInfo(inBundle: "Shop.momd")
/// print(info.currentVersionName ?? "", info.version(named: "Shop 2")?.checksum ?? "")
/// ```
///
/// Unknown keys of the file are kept and written back.
public struct VersionInfo: Sendable {
  /// One version of the model.
  public struct Version: Hashable, Sendable {
    /// The version's name: its file name without extension.
    public var name: String
    /// The version hash of each entity by name; 32 bytes each in a valid file.
    public var entityHashes: [String: Data]
    /// The version's checksum, in base64; `nil` if it isn't recorded, as before Xcode 15.
    public var checksum: String?

    /// Creates a version.
    public init(name: String, entityHashes: [String: Data], checksum: String? = nil) {
      self.name = name
      self.entityHashes = entityHashes
      self.checksum = checksum
    }
  }

  /// The name of the current version; `nil` in a bundle whose source didn't name one.
  public var currentVersionName: String?
  /// The versions, in the order of the file.
  public var versions: [Version]
  /// Whether an (empty) list of checksums is written even if no version has one.
  var hasChecksums: Bool
  /// Whether the short name of a single version is one shared string, as in momc since Xcode 26.1; it affects only the
  /// bytes of the file. Default: true.
  var sharesVersionNames = true
  /// The property list that was read, and its objects for unknown keys.
  var source: BinaryPropertyList?
  var unknownKeys: [(key: String, object: Int)] = []

  /// Creates the information for a bundle.
  ///
  /// - Parameters:
  ///   - versions: The versions, in the order in which to write them.
  ///   - currentVersionName: The current version's name.
  public init(versions: [Version], currentVersionName: String?) {
    self.versions = versions
    self.currentVersionName = currentVersionName
    hasChecksums = versions.contains { $0.checksum != nil }
  }

  /// The version with a name.
  public func version(named name: String) -> Version? {
    versions.first { $0.name == name }
  }

  /// The current version's entry.
  public var currentVersion: Version? {
    currentVersionName.flatMap { version(named: $0) }
  }

  /// The file's keys.
  enum Key {
    static let current = "NSManagedObjectModel_CurrentVersionName"
    static let hashes = "NSManagedObjectModel_VersionHashes"
    static let checksums = "NSManagedObjectModel_VersionChecksums"
  }
}
