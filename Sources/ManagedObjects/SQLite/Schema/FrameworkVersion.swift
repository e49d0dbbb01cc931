/// The version of the framework a store was written for, and what that means for its layout.
package struct FrameworkVersion: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number in the metadata under `NSPersistenceFrameworkVersion`.
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The version that a store records; today's where it records none.
  init(recorded: Int?) { self = recorded.map(Self.init(rawValue:)) ?? .current }

  /// What new stores are made for: digest, checksum and composites, as of macOS 15 and iOS 18.
  static let current = FrameworkVersion(rawValue: 1414)

  package static func < (left: FrameworkVersion, right: FrameworkVersion) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Whether indexes are named fetch indexes (from macOS 10.13), rather than one index for each
  /// marked column.
  var hasFetchIndexes: Bool { rawValue >= 847 }
  /// Whether uniqueness lies in unique indexes (from macOS 10.12), rather than in the tables.
  var hasUniqueIndexes: Bool { rawValue >= 752 }
  /// Whether join tables have an index for their second column.
  var indexesJoinTables: Bool { !(419...479).contains(rawValue) }
  /// Whether derived attributes are kept up by triggers.
  var hasDerivationTriggers: Bool { rawValue >= 973 }
  /// Whether the file has a copy of its model.
  var hasModelCache: Bool { rawValue >= 637 }
  /// Whether the metadata have a digest over the version hashes.
  var hasHashesDigest: Bool { rawValue >= 973 }
  /// Whether the metadata have the model's checksum.
  var hasModelChecksum: Bool { rawValue >= 1321 }
}

/// The number of the framework that new stores are made for, in their metadata: Core Data's of macOS 15 and
/// iOS 18.
public let NSCoreDataVersionNumber = Double(FrameworkVersion.current.rawValue)
