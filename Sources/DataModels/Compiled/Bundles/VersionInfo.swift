import Foundation
import PropertyLists

/// What a bundle's `VersionInfo.plist` records: the versions, the hashes of their entities, and
/// which version is current.
///
/// ```swift
/// let info = try VersionInfo(inBundle: "Shop.momd")
/// print(info.currentVersionName ?? "", info.version(named: "Shop 2")?.checksum ?? "")
/// ```
///
/// Keys of the file that aren't known are kept and written again.
public struct VersionInfo: Sendable {
  /// One version of the model.
  public struct Version: Hashable, Sendable {
    /// The version's name: its file's name without extension.
    public var name: String
    /// The version hash of each entity by name; 32 bytes each in a sound file.
    public var entityHashes: [String: Data]
    /// The version's checksum, in base64; `nil` where it isn't recorded, as before Xcode 15.
    public var checksum: String?

    /// Describes a version.
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
  /// Whether versions without checksums would still be written with an (empty) list of them.
  var hasChecksums: Bool
  /// Whether a lone version's short name is one string wherever it stands, as momc has it from
  /// Xcode 26.1 on; it shows in the bytes of the file only. Default: true.
  var sharesVersionNames = true
  /// The list that was read, and the objects in it of the keys that aren't known.
  var source: BinaryPropertyList?
  var unknownKeys: [(key: String, object: Int)] = []

  /// Describes a bundle.
  ///
  /// - Parameters:
  ///   - versions: The versions, in the order in which they are to be written.
  ///   - currentVersionName: The current version's name.
  public init(versions: [Version], currentVersionName: String?) {
    self.versions = versions
    self.currentVersionName = currentVersionName
    hasChecksums = versions.contains { $0.checksum != nil }
  }

  /// The version of this name.
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
