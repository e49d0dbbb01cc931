/// What can be chosen when a model is archived.
public struct ModelArchiveOptions: Sendable {
  /// Which compiler the archive names as its maker.
  public enum Stamp: Hashable, Sendable {
    /// The one that the model was read with; none for a model made in code.
    case kept
    /// No compiler, as momc did before Xcode 13.4.
    case omitted
    /// A compiler of the caller's choice.
    case stamp(CompilerStamp)
  }

  /// Of which vintage the archive's bytes are.
  public enum Vintage: Hashable, Sendable {
    /// That of the file the model was read from, when the archive has no stamp; otherwise the
    /// newest.
    case kept
    /// A vintage of the caller's choice.
    case vintage(CompilerVintage)
  }

  /// For whom the archive is.
  enum Form: Hashable, Sendable {
    /// A compiled model, as momc writes it.
    case compiled
    /// The copy of its model that a store keeps, as Core Data writes it: see ``ModelCache``.
    case cache
  }

  /// Which compiler the archive names. Default: the one that was read.
  public var stamp: Stamp
  /// Of which vintage the archive's bytes are. Default: that of the file that was read.
  public var vintage: Vintage
  /// For whom the archive is. Default: a compiled model.
  var form = Form.compiled

  /// Makes options.
  public init(stamp: Stamp = .kept, vintage: Vintage = .kept) {
    self.stamp = stamp
    self.vintage = vintage
  }
}
