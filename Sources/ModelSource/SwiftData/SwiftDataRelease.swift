/// The releases of Apple's systems that a schema needs: the first with SwiftData, and those that brought more of it.
enum SwiftDataRelease: Int, Comparable, Sendable {
  /// iOS 17.
  case first
  /// iOS 18: `#Unique` and `#Index`.
  case compoundConstraints
  /// iOS 26: models that inherit from models.
  case inheritance

  /// The attribute that says so, with the end of its line; empty where SwiftData itself is enough.
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
