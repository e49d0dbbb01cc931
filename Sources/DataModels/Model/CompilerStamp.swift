/// The compiler that created a model, as recorded in models by momc since Xcode 13.4.
public struct CompilerStamp: Hashable, Sendable {
  /// The version of momc's bundle, such as 22758. It may have a fraction (23788.4).
  public var toolVersion: Double

  /// Xcode's version as major·10000 + minor·100 + patch: 150400 is 15.4.
  public var xcodeVersion: Int

  /// Creates a stamp from the two versions.
  public init(toolVersion: Double, xcodeVersion: Int) {
    self.toolVersion = toolVersion
    self.xcodeVersion = xcodeVersion
  }
}
