import ManagedModel

extension CompilerVintage {
  /// The age of the compiler of a release of Xcode, such as `9.4`; nil when the text is no release.
  ///
  /// What a compiler wrote depended on its system as well, so that some files of a release are of the
  /// age before or after.
  public init?(xcode release: String) {
    let parts = release.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...3).contains(parts.count), !parts.contains(nil),
      let major = parts[0], (1...99).contains(major)
    else { return nil }
    let minor = parts.count > 1 ? parts[1] ?? 0 : 0
    self =
      switch (major, minor) {
      case (...6, _): .xcode6
      case (7, _): .xcode7
      case (8, _): .xcode8
      case (9...11, _): .xcode9
      case (12, _), (13, ..<4): .xcode12
      default: .modern
      }
  }
}
