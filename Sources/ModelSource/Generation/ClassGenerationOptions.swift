/// Options for generating classes.
///
/// ```swift
/// let options = ClassGenerationOptions(language: .objectiveC, selection: .all)
/// let generator = ClassGenerator(source, modelName: "Shop", options: options)
/// for file in generator.files { print(file.name) }
/// ```
public struct ClassGenerationOptions: Sendable, Hashable {
  /// The language of the classes.
  public enum Language: String, Sendable, Hashable, CaseIterable {
    /// Swift, for Linux with MomKit and for Apple's systems with Core Data.
    case swift
    /// Objective-C, for Apple's systems.
    case objectiveC = "objc"
  }

  /// The entities for which classes are generated.
  public enum Selection: Sendable, Hashable {
    /// Those whose source requests it, as in Xcode's builds.
    case asDeclared
    /// All entities that have a class, regardless of the source, as with Xcode's "Create NSManagedObject Subclass".
    case all
  }

  /// The language.
  public var language: Language
  /// The entities for which classes are generated.
  public var selection: Selection

  /// Creates options.
  public init(language: Language = .swift, selection: Selection = .asDeclared) {
    self.language = language
    self.selection = selection
  }
}
