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
