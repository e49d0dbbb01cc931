/// The releases of Apple's systems that a schema may require: the first with SwiftData, and those that extended it.
enum SwiftDataRelease: Int, Comparable, Sendable {
  /// iOS 17.
  case first
  /// iOS 18: `#Unique` and `#Index`.
  case compoundConstraints
  /// iOS 26: model inheritance.
  case inheritance

  /// The availability attribute, ending with a newline; empty for the first release.
  var attribute: String {
    switch self {
    case .first: ""
    case .compoundConstraints:
      "@available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)\n"
    case .inheritance:
      "@available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *)\n"
    }
  }

  static func < (left: SwiftDataRelease, right: SwiftDataRelease) -> Bool {
    left.rawValue < right.rawValue
  }
}
