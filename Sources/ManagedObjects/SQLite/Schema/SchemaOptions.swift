import Foundation

/// Switches that models carry in their user info.
enum SchemaOptions {
  /// Whether a user info value means yes: `1`, `YES`, `true`, as text or number.
  static func isOn(_ value: Any?) -> Bool {
    switch value {
    case let text as String: ["1", "yes", "true", "y"].contains(text.lowercased())
    case let flag as Bool: flag
    case let number as NSNumber: number.boolValue
    default: false
    }
  }
}
