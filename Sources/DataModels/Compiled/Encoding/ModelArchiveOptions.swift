/// Options for archiving a model.
///
/// ```swift
/// var options = ModelArchiveOptions()
/// options.stamp = .omitted
/// options.vintage = .vintage(.xcode12)
/// let bytes = try ModelArchive.encode(model, options: options)
/// ```
public struct ModelArchiveOptions: Sendable {
  /// The compiler stamp to write.
  public enum Stamp: Hashable, Sendable {
    /// The stamp that the model was read with; none for a model created in code.
    case kept
    /// No stamp, as written by momc before Xcode 13.4.
    case omitted
    /// A specific stamp.
    case stamp(CompilerStamp)
  }

  /// The vintage of the archive's bytes.
  public enum Vintage: Hashable, Sendable {
    /// The vintage of the file the model was read from, if the archive has no stamp; otherwise the newest.
    case kept
    /// A specific vintage.
    case vintage(CompilerVintage)
  }

  /// The purpose of the archive.
  enum Form: Hashable, Sendable {
    /// A compiled model, as written by momc.
    case compiled
    /// A store's copy of its model, as written by Core Data: see ``ModelCache``.
    case cache
  }

  /// The compiler stamp to write. Default: the one that was read.
  public var stamp: Stamp
  /// The vintage of the archive's bytes. Default: that of the file that was read.
  public var vintage: Vintage
  /// The purpose of the archive. Default: a compiled model.
  var form = Form.compiled

  /// Creates options.
  public init(stamp: Stamp = .kept, vintage: Vintage = .kept) {
    self.stamp = stamp
    self.vintage = vintage
  }
}
