/// Two incompatible edits of content that only sources have: of comments, or of attributes and elements that models
/// don't have.
public struct SourceConflict: Hashable, Sendable {
  /// The kind of conflict.
  public enum Kind: String, Hashable, Sendable {
    /// Both sides changed it differently.
    case changedDifferently
    /// Both sides added it differently.
    case addedDifferently
    /// One side removed what the other changed.
    case removedAndChanged
    /// One side removed what the other newly uses.
    case removedButUsed
  }

  /// An element on the path to the conflict.
  public struct Place: Hashable, Sendable {
    /// The element's name: `entity`, `attribute`, …
    public let kind: String
    /// The element's own name; nil if it has none.
    public let name: String?
  }

  /// The kind of conflict.
  public let kind: Kind
  /// The elements that contain it, by the merged model's names, starting inside the root element.
  public let place: [Place]
  /// The subject of the conflict: an attribute's name, `comments`, `text`, or an element, as `<element>`.
  public let subject: String
  /// The value in the base; nil when there is none.
  public let base: String?
  /// The value on our side.
  public let ours: String?
  /// The value on their side.
  public let theirs: String?
  /// Whether our side's edit is written, rather than theirs.
  public let keepsOurs: Bool
}
