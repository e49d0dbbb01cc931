/// What `momtool --version` prints.
enum ToolVersion {
  /// The version of MomKit.
  static let number = "0.1.0"

  static var text: String { "momtool \(number)" }
}
