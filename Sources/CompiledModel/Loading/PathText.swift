/// Paths as texts, kept as users gave them.
enum PathText {
  /// A name inside a folder, whose path may end in a slash as shells complete it.
  static func joined(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}
