/// A change to a released version that is not allowed.
///
/// ```swift
/// for finding in ReleaseGuard(released: shipped, now: edited).findings {
///   print(finding.version, finding.kind.rawValue, finding.message)
/// }
/// ```
public struct GuardFinding: Hashable, Sendable {
  /// The kind of change.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case bundleRemoved = "bundle-removed"
    case versionRemoved = "version-removed"
    case versionRenamed = "version-renamed"
    case versionChanged = "version-changed"
    case currentMovedBack = "current-moved-back"
    case newVersionNotCurrent = "new-version-not-current"
    case noCurrentVersion = "no-current-version"
    case schemaRemoved = "schema-removed"
    case schemaChanged = "schema-changed"
  }

  /// The kind of change.
  public let kind: Kind
  /// The affected version.
  public let version: String
  /// The location in the version; nil when it concerns the version as a whole.
  public let path: ModelPath?
  /// A self-contained description in one sentence.
  public let message: String

  /// Creates a finding.
  public init(_ kind: Kind, version: String, path: ModelPath? = nil, _ message: String) {
    self.kind = kind
    self.version = version
    self.path = path
    self.message = message
  }
}
