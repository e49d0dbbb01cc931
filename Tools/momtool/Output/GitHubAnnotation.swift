/// A workflow command that annotates a file of a pull request on GitHub.
struct GitHubAnnotation: CustomStringConvertible {
  /// The severity.
  enum Level: String {
    case error, warning, notice
  }

  let level: Level
  let path: String
  /// The line, starting from 1; nil for the whole file.
  let line: Int?
  let title: String
  let message: String

  var description: String {
    "::\(level.rawValue) file=\(Self.property(path))" + (line.map { ",line=\($0)" } ?? "")
      + ",title=\(Self.property(title))::"
      + Self.text(message)
  }

  private static func text(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  private static func property(_ text: String) -> String {
    Self.text(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}

extension String {
  fileprivate func replacing(_ character: Character, with text: String) -> String {
    map { $0 == character ? text : String($0) }.joined()
  }
}
