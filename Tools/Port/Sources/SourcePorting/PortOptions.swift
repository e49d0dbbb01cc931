/// What is known of the target that a source belongs to.
public struct PortOptions: Sendable {
  /// The modules that the package declares itself.
  public var modules: Set<String>
  /// Whether the target has a bundle of its own.
  public var hasResources: Bool
  /// The classes that the build would generate of the target's data models as a whole, which the port may write
  /// itself.
  public var generatedClasses: [GeneratedClass]

  /// Options for a target of a package that declares these modules.
  public init(
    modules: Set<String> = [], hasResources: Bool = false, generatedClasses: [GeneratedClass] = []
  ) {
    self.modules = modules
    self.hasResources = hasResources
    self.generatedClasses = generatedClasses
  }
}
