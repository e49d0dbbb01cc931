/// How large a source document may be before it is refused.
///
/// The limits bound the memory and the time that a hostile file can cost; the default ones are far
/// above any model that Xcode can edit.
public struct SourceLimits: Sendable, Hashable {
  /// The number of bytes of a document.
  public var documentBytes = 256 << 20
  /// How deeply elements may be nested. A composite in a model needs six levels.
  public var depth = 32
  /// The number of elements of a document.
  public var elements = 4_000_000
  /// The number of attributes of one element.
  public var attributesPerElement = 128
  /// The number of bytes of one attribute's text.
  public var attributeBytes = 4 << 20

  /// The default limits.
  public static let `default` = SourceLimits()

  /// Makes the default limits, to be changed one by one.
  public init() {}
}
