import DataModels

/// How models are compiled.
public struct ModelCompilerOptions: Sendable {
  /// Which compiler the output names as its maker; nil for none, as before Xcode 13.4.
  public var stamp: CompilerStamp?
  /// The vintage of the compiler whose bytes the output has. Files older than `CompilerVintage.modern`
  /// have no stamp.
  public var vintage: CompilerVintage
  /// How sources are read: the module of the classes, and what is checked.
  public var reading: SourceReadingOptions

  /// Makes options.
  ///
  /// - Parameters:
  ///   - stamp: The compiler named. Default: the newest one known.
  ///   - vintage: The vintage of the compiler. Default: the newest.
  ///   - reading: How sources are read.
  public init(
    stamp: CompilerStamp? = .newest, vintage: CompilerVintage = .modern,
    reading: SourceReadingOptions = SourceReadingOptions()
  ) {
    self.stamp = stamp
    self.vintage = vintage
    self.reading = reading
  }
}
