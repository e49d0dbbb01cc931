/// Something that happened to a released version and must not have.
public struct GuardFinding: Hashable, Sendable {
  /// What happened.
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

  /// What happened.
  public let kind: Kind
  /// The version it happened to.
  public let version: String
  /// Where in the version; nil when it is about the version as a whole.
  public let path: ModelPath?
  /// What happened, in one sentence that names it all.
  public let message: String

  /// Makes a finding.
  public init(_ kind: Kind, version: String, path: ModelPath? = nil, _ message: String) {
    self.kind = kind
    self.version = version
    self.path = path
    self.message = message
  }
}
