/// The version of a SwiftData schema, such as `Schema.Version(1, 2, 0)`, recorded in stores as "1.2.0".
public struct SwiftDataVersion: Hashable, Sendable {
  /// The first number.
  public let major: Int
  /// The second number.
  public let minor: Int
  /// The third number.
  public let patch: Int

  /// Creates a version.
  public init(_ major: Int, minor: Int = 0, patch: Int = 0) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// Parses `1`, `1.2` or `1.2.0`; nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil
    }
    guard (1...3).contains(parts.count), numbers.count == parts.count else { return nil }
    self.init(
      numbers[0], minor: numbers.count > 1 ? numbers[1] : 0,
      patch: numbers.count > 2 ? numbers[2] : 0)
  }

  /// The version for use in the name of a type: `1`, `1_2`, `1_0_3`.
  public var suffix: String {
    if patch != 0 { return "\(major)_\(minor)_\(patch)" }
    return minor == 0 ? "\(major)" : "\(major)_\(minor)"
  }
}

extension SwiftDataVersion: Comparable {
  /// Whether a version precedes another.
  public static func < (left: SwiftDataVersion, right: SwiftDataVersion) -> Bool {
    (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
  }
}
