/// Something that porting did in a source, or left to the reader.
public struct PortNote: Hashable, Sendable, Codable {
  /// What was met.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// `@NSManaged var`.
    case managedProperty
    /// `@NSManaged func`.
    case managedFunction
    /// `@objc` and its relatives.
    case objectiveCAttribute
    /// `@objc(Name)` of a class that Swift calls otherwise.
    case renamedClass
    /// `#keyPath`.
    case keyPath
    /// `#selector`.
    case selector
    /// A member that overrides another from an extension.
    case extensionOverride
    /// A check of a property's values that the Objective-C runtime would find by its name.
    case validator
    /// A cast between types of fetch requests.
    case requestCast
    /// An array literal that a set is made of.
    case setLiteral
    /// An import.
    case `import`
    /// A name qualified by a module that doesn't have it here.
    case qualifiedName
    /// Conditions on systems of which none is this one.
    case condition
    /// A bundle found by an identifier.
    case bundle
    /// Key-value observing.
    case observing
    /// What belongs to the Objective-C runtime.
    case runtime
    /// A framework of Apple's systems.
    case framework
  }

  /// What was met.
  public var kind: Kind
  /// The source, from the package's folder.
  public var path: String
  /// Its line, from 1.
  public var line: Int
  /// What it says there.
  public var text: String
  /// What to do about it; nil for what was rewritten.
  public var advice: String?
}
