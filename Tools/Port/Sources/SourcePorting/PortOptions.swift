/// Information about the target that a source belongs to.
public struct PortOptions: Sendable {
  /// The modules that the package declares.
  public var modules: Set<String>
  /// Whether the target has its own bundle.
  public var hasResources: Bool
  /// The classes that the build would generate in full for the target's data models, and that the port may write
  /// instead.
  public var generatedClasses: [GeneratedClass]

  /// Creates options for a target of a package with the given modules.
  public init(
    modules: Set<String> = [], hasResources: Bool = false, generatedClasses: [GeneratedClass] = []
  ) {
    self.modules = modules
    self.hasResources = hasResources
    self.generatedClasses = generatedClasses
  }
}
