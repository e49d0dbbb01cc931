import DataModels
import Foundation

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
    "::\(level.rawValue) file=\(Self.property(Self.place(path)))"
      + (line.map { ",line=\($0)" } ?? "")
      + ",title=\(Self.property(title))::"
      + Self.text(message)
  }

  /// A file's path as GitHub takes it, which is relative to the workspace: a step may run in a folder below.
  static func place(_ path: String) -> String {
    guard let workspace = ProcessInfo.processInfo.environment["GITHUB_WORKSPACE"],
      !workspace.isEmpty
    else { return path }
    let root = URL(fileURLWithPath: workspace, isDirectory: true).standardizedFileURL
      .resolvingSymlinksInPath().path
    let file = URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    return file.hasPrefix(root + "/") ? String(file.dropFirst(root.count + 1)) : path
  }

  private static func text(_ text: String) -> String {
    // By scalars: a carriage return and a line feed are one character.
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "%": "%25"
      case "\r": "%0D"
      case "\n": "%0A"
      default: String(scalar)
      }
    }.joined()
  }

  private static func property(_ text: String) -> String {
    Self.text(text).replacing(scalar: ":", with: "%3A").replacing(scalar: ",", with: "%2C")
  }
}
