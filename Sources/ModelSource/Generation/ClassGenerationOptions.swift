/// How classes are generated.
public struct ClassGenerationOptions: Sendable, Hashable {
  /// The language of the classes.
  public enum Language: String, Sendable, Hashable, CaseIterable {
    /// Swift, for Linux with MomKit and for Apple's systems with Core Data.
    case swift
    /// Objective-C, for Apple's systems.
    case objectiveC = "objc"
  }

  /// Which entities get classes.
  public enum Selection: Sendable, Hashable {
    /// Those whose source asks for it, as Xcode's builds do.
    case asDeclared
    /// All that have a class, whatever the source says, as Xcode's "Create NSManagedObject
    /// Subclass" does.
    case all
  }

  /// The language.
  public var language: Language
  /// Which entities get classes.
  public var selection: Selection

  /// Makes options.
  public init(language: Language = .swift, selection: Selection = .asDeclared) {
    self.language = language
    self.selection = selection
  }
}

/// A file of generated code.
public struct GeneratedFile: Sendable, Hashable {
  /// The file's name.
  public var name: String
  /// The file's text.
  public var text: String

  /// Makes a file.
  public init(name: String, text: String) {
    self.name = name
    self.text = text
  }
}
