import DataModels

/// Options for compiling models.
public struct ModelCompilerOptions: Sendable {
  /// The compiler stamp to write; nil for none, as before Xcode 13.4.
  public var stamp: CompilerStamp?
  /// The vintage of the output's bytes. Vintages older than `CompilerVintage.modern` have no stamp.
  public var vintage: CompilerVintage
  /// Options for reading sources: the module of the classes, and the checks to perform.
  public var reading: SourceReadingOptions

  /// Creates options.
  ///
  /// - Parameters:
  ///   - stamp: The compiler stamp. Default: that of the newest known compiler.
  ///   - vintage: The vintage of the output's bytes. Default: the newest.
  ///   - reading: Options for reading sources.
  public init(
    stamp: CompilerStamp? = .newest, vintage: CompilerVintage = .modern,
    reading: SourceReadingOptions = SourceReadingOptions()
  ) {
    self.stamp = stamp
    self.vintage = vintage
    self.reading = reading
  }
}
