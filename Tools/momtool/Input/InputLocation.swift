import CompiledModel
import Foundation

/// What an argument names: a path, perhaps in a git revision, perhaps a version of a bundle.
///
/// `git:v1.2:App/Shop.xcdatamodeld@Shop 2` has all three; `Shop.momd@Shop 2` has the last two.
struct InputLocation {
  /// The argument as the user gave it.
  let text: String
  /// The git revision; nil for the working tree.
  let revision: String?
  /// The path, relative to the repository's root when there is a revision.
  let path: String
  /// The version of the bundle; nil when none is named.
  let version: String?

  /// Takes an argument apart.
  ///
  /// - Throws: ``Diagnostic`` when it begins with `git:` and doesn't go on as it should.
  init(_ text: String) throws {
    self.text = text
    var rest = text[...]
    if text.hasPrefix("git:") {
      rest = text.dropFirst(4)
      guard let colon = rest.firstIndex(of: ":"), colon != rest.startIndex else {
        throw Diagnostic("write git:REVISION:PATH", path: text)
      }
      revision = String(rest[..<colon])
      rest = rest[rest.index(after: colon)...]
    } else {
      revision = nil
    }
    let isThere = revision == nil && FileManager.default.fileExists(atPath: String(rest))
    if !isThere, let (bundle, name) = Self.bundleAndVersion(rest) {
      path = bundle
      version = name
    } else {
      path = String(rest)
      version = nil
    }
  }

  /// Splits `Shop.momd@Shop 2` at the sign.
  private static func bundleAndVersion(_ text: Substring) -> (String, String)? {
    for suffix in [".xcdatamodeld@", ".momd@", ".xcdatamodeld/@", ".momd/@"] {
      guard let range = text.range(of: suffix, options: .backwards) else { continue }
      let name = text[range.upperBound...]
      guard !name.isEmpty, !name.contains("/") else { continue }
      return (String(text[..<text.index(before: range.upperBound)]), Self.baseName(name))
    }
    return nil
  }

  private static func baseName(_ name: Substring) -> String {
    for suffix in [".xcdatamodel", ".mom"] where name.hasSuffix(suffix) {
      return String(name.dropLast(suffix.count))
    }
    return String(name)
  }
}
