/// The version of the framework that a store was written for, which determines its schema.
package struct FrameworkVersion: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number under `NSPersistenceFrameworkVersion` in the metadata.
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Creates the version that a store records; the current one if it records none.
  init(recorded: Int?) { self = recorded.map(Self.init(rawValue:)) ?? .current }

  /// The version for new stores: digest, checksum and composites, as in macOS 15 and iOS 18.
  static let current = FrameworkVersion(rawValue: 1414)

  package static func < (left: FrameworkVersion, right: FrameworkVersion) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Whether there are named fetch indexes (since macOS 10.13) rather than one index per indexed column.
  var hasFetchIndexes: Bool { rawValue >= 847 }
  /// Whether uniqueness constraints are unique indexes (since macOS 10.12) rather than constraints of tables.
  var hasUniqueIndexes: Bool { rawValue >= 752 }
  /// Whether join tables have an index on their second column.
  var indexesJoinTables: Bool { !(419...479).contains(rawValue) }
  /// Whether triggers maintain derived attributes.
  var hasDerivationTriggers: Bool { rawValue >= 973 }
  /// Whether the file contains a copy of its model.
  var hasModelCache: Bool { rawValue >= 637 }
  /// Whether the metadata contains a digest of the version hashes.
  var hasHashesDigest: Bool { rawValue >= 973 }
  /// Whether the metadata contains the model's checksum.
  var hasModelChecksum: Bool { rawValue >= 1321 }
}

/// The framework version recorded in the metadata of new stores: that of Core Data in macOS 15 and iOS 18.
public let NSCoreDataVersionNumber = Double(FrameworkVersion.current.rawValue)
