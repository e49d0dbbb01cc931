import ManagedModel

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

  /// Which compiler the archive names. Default: the one that was read.
  public var stamp: Stamp

  /// Makes options.
  public init(stamp: Stamp = .kept) {
    self.stamp = stamp
  }
}
