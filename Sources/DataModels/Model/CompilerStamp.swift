/// Which compiler made a model: what momc writes into a model since Xcode 13.4.
public struct CompilerStamp: Hashable, Sendable {
  /// The version of momc's bundle, such as 22758; a fraction occurs (23788.4).
  public var toolVersion: Double

  /// Xcode's version as major·10000 + minor·100 + patch: 150400 is 15.4.
  public var xcodeVersion: Int

  /// Makes a stamp of these two versions.
  public init(toolVersion: Double, xcodeVersion: Int) {
    self.toolVersion = toolVersion
    self.xcodeVersion = xcodeVersion
  }
}
