import ManagedModel
import ModelSource

/// How models are compiled.
public struct ModelCompilerOptions: Sendable {
  /// Which compiler the output names as its maker; nil for none, as before Xcode 13.4.
  public var stamp: CompilerStamp?
  /// How sources are read: the module of the classes, and what is checked.
  public var reading: SourceReadingOptions

  /// Makes options.
  ///
  /// - Parameters:
  ///   - stamp: The compiler named. Default: the newest one known.
  ///   - reading: How sources are read.
  public init(
    stamp: CompilerStamp? = .newest, reading: SourceReadingOptions = SourceReadingOptions()
  ) {
    self.stamp = stamp
    self.reading = reading
  }
}
