import Foundation

/// Something in a source that was rewritten or needs attention.
public struct PortNote: Hashable, Sendable, Codable {
  /// The kind of construct.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// `@NSManaged var`.
    case managedProperty
    /// `@NSManaged func`.
    case managedFunction
    /// `@objc` and related attributes.
    case objectiveCAttribute
    /// `@objc(Name)` for a class with another name in Swift.
    case renamedClass
    /// `#keyPath`.
    case keyPath
    /// `#selector`.
    case selector
    /// A member of an extension that overrides another.
    case extensionOverride
    /// A validation method that the Objective-C runtime would find by its name.
    case validator
    /// A cast between types of fetch requests.
    case requestCast
    /// An array literal that initializes a set.
    case setLiteral
    /// A cast of a to-many relationship's mutable set.
    case setCast
    /// An import.
    case `import`
    /// A name qualified by a module that doesn't contain it here.
    case qualifiedName
    /// Conditional compilation without a branch for this platform.
    case condition
    /// A bundle looked up by identifier.
    case bundle
    /// Key-value observing.
    case observing
    /// A feature of the Objective-C runtime.
    case runtime
    /// A framework of Apple's platforms.
    case framework
    /// A source that isn't UTF-8.
    case encoding
  }

  /// The kind of construct.
  public var kind: Kind
  /// The source's path, relative to the package's folder.
  public var path: String
  /// The line number, starting from 1.
  public var line: Int
  /// The source text.
  public var text: String
  /// What to do about it, or nil if it was rewritten.
  public var advice: String?
}

extension PortNote {
  /// Returns the note on a source that can't be read because it isn't UTF-8.
  static func unreadable(_ path: String, having contents: Data) -> PortNote {
    let lines = contents.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let index = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    let text = lines.isEmpty ? "" : String(decoding: lines[index], as: UTF8.self)
    return PortNote(
      kind: .encoding, path: path, line: index + 1, text: String(text.prefix(120)),
      advice: "this isn't UTF-8, so the source was copied and not ported: convert it to UTF-8")
  }
}
