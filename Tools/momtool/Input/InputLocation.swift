import DataModels
import Foundation

/// The parsed form of an argument: a path, optionally in a git revision, and optionally with a version of a bundle.
///
/// `git:v1.2:App/Shop.xcdatamodeld@Shop 2` has all three; `Shop.momd@Shop 2` and `Shop.momd/Shop 2` have a path and a
/// version.
struct InputLocation {
  /// The argument as given by the user.
  let text: String
  /// The git revision; nil for the working tree.
  let revision: String?
  /// The path, relative to the repository's root if there is a revision.
  let path: String
  /// The version of the bundle; nil when none is given.
  let version: String?
  /// Whether listings show the argument instead of the file's path.
  let isTitle: Bool

  /// The path for messages about files inside, with the revision.
  var shownPath: String {
    guard revision != nil else { return path }
    // Without the version, which isn't part of the path.
    guard let version, text.hasSuffix("@\(version)") else { return text }
    return String(text.dropLast(version.count + 1))
  }

  /// Parses an argument.
  ///
  /// - Throws: ``Diagnostic`` when it is empty, or begins with `git:` but is malformed.
  init(_ text: String) throws {
    // A variable of a script that isn't set.
    guard !text.isEmpty else { throw Diagnostic("the input's name is empty") }
    self.text = text
    var rest = text[...]
    if text.hasPrefix("git:") {
      rest = text.dropFirst(4)
      // As in git, `:2:PATH` is a stage of an unfinished merge, and `:PATH` what is staged for the next commit.
      let isStaged = rest.prefixMatch(of: #/:(?![0-3]:)/#) != nil
      let word = !isStaged && rest.hasPrefix(":") ? rest.dropFirst() : rest
      guard let colon = word.firstIndex(of: ":"), isStaged || colon != word.startIndex else {
        throw Diagnostic("write git:REVISION:PATH", path: text)
      }
      revision = isStaged ? ":0" : String(rest[..<colon])
      rest = rest[rest.index(after: colon)...]
    } else {
      revision = nil
    }
    let isThere = revision == nil && FileManager.default.fileExists(atPath: String(rest))
    if !isThere, let (bundle, name) = Self.splitAtSign(rest) {
      (path, version, isTitle) = (bundle, name, true)
    } else if !isThere, revision == nil, let (bundle, name) = Self.splitAtSlash(rest) {
      (path, version, isTitle) = (bundle, name, false)
    } else {
      (path, version, isTitle) = (String(rest), nil, revision != nil)
    }
  }

  /// Splits `Shop.momd@Shop 2` at the at sign.
  private static func splitAtSign(_ text: Substring) -> (bundle: String, version: String)? {
    for suffix in [".xcdatamodeld@", ".momd@", ".xcdatamodeld/@", ".momd/@"] {
      guard let range = text.range(of: suffix, options: .backwards) else { continue }
      let name = text[range.upperBound...]
      guard !name.isEmpty, !name.contains("/") else { continue }
      return (String(text[..<text.index(before: range.upperBound)]), baseName(name))
    }
    return nil
  }

  /// Splits `Shop.momd/Shop 2` at the last slash, if it follows a bundle.
  private static func splitAtSlash(_ text: Substring) -> (bundle: String, version: String)? {
    var text = text
    while text.hasSuffix("/") { text = text.dropLast() }
    guard let slash = text.lastIndex(of: "/"), slash != text.startIndex,
      let bundle = try? ModelFile(at: String(text[..<slash])),
      [.bundle, .source].contains(bundle.kind)
    else { return nil }
    return (bundle.path, baseName(text[text.index(after: slash)...]))
  }

  private static func baseName(_ name: Substring) -> String {
    for suffix in [".xcdatamodel", ".mom"] where name.hasSuffix(suffix) {
      return String(name.dropLast(suffix.count))
    }
    return String(name)
  }
}
