/// Two edits of what only sources say that don't go together: of comments, of attributes and elements that no model
/// has.
public struct SourceConflict: Hashable, Sendable {
  /// What sort of conflict it is.
  public enum Kind: String, Hashable, Sendable {
    /// Both sides changed it, each to something else.
    case changedDifferently
    /// Both sides added it, each something else.
    case addedDifferently
    /// One side removed what the other changed.
    case removedAndChanged
  }

  /// An element on the way to the conflict.
  public struct Place: Hashable, Sendable {
    /// The element's name: `entity`, `attribute`, …
    public let kind: String
    /// What it is called; nil for one that has no name.
    public let name: String?
  }

  /// What sort of conflict it is.
  public let kind: Kind
  /// The elements that it is in, by the merged model's names, from the outermost but one inwards.
  public let place: [Place]
  /// What is contested: an attribute's name, `comments`, `text`, or an element, as `<element>`.
  public let subject: String
  /// What the base says; nil when it says nothing.
  public let base: String?
  /// What our side says.
  public let ours: String?
  /// What their side says.
  public let theirs: String?
  /// Whether what is written has ours; it has theirs otherwise.
  public let takesOurs: Bool
}
