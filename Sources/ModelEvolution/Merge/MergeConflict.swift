/// One of the two versions that are merged.
public enum MergeSide: String, Hashable, Sendable, Codable {
  case ours
  case theirs

  /// The other one.
  var other: MergeSide { self == .ours ? .theirs : .ours }
}

/// Two edits that don't go together, and what the merged model has in their place.
public struct MergeConflict: Hashable, Sendable {
  /// What sort of conflict it is.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Both sides changed a fact, each to something else.
    case changedDifferently
    /// Both sides added something of this name, each something else.
    case addedDifferently
    /// One side removed what the other changed.
    case removedAndChanged
    /// Both sides gave it a new name, each another.
    case renamedDifferently
    /// Both sides moved it, each to another place.
    case movedDifferently
    /// One side made one of what the other changed one of, or several of what it changed.
    case regroupedAndChanged
    /// One side removed what the other newly uses.
    case removedButUsed
    /// One side made something else of a property, whose type or kind the other newly depends on.
    case retypedButUsed
    /// After both sides' edits two things would have one name.
    case nameTaken
    /// After both sides' edits an entity would be its own ancestor.
    case hierarchyCycle
    /// After both sides' edits a relationship's inverse would have another inverse.
    case inverseNotMutual
    /// After both sides' edits a rule of models is broken that neither side breaks.
    case invalid
    /// Both sides added a version of one name or number, or changed a shipped one.
    case version
  }

  /// What sort of conflict it is.
  public let kind: Kind
  /// Where it is, by the merged model's names.
  public let path: ModelPath
  /// The fact in question; nil when it is the element as a whole.
  public let fact: String?
  /// What the base says; `.none` when it says nothing.
  public let base: ModelValue
  /// What our side says.
  public let ours: ModelValue
  /// What their side says.
  public let theirs: ModelValue
  /// Whose edit the merged model has; nil when it has a bit of both.
  public let taken: MergeSide?
  /// What happened on both sides, in one sentence.
  public let message: String

  /// Makes a conflict, such as one of what models don't say.
  public init(
    _ kind: Kind, at path: ModelPath, fact: String? = nil, base: ModelValue = .none,
    ours: ModelValue = .none, theirs: ModelValue = .none, taken: MergeSide?, _ message: String
  ) {
    self.kind = kind
    self.path = path
    self.fact = fact
    self.base = base
    self.ours = ours
    self.theirs = theirs
    self.taken = taken
    self.message = message
  }
}

extension MergeConflict: CustomStringConvertible {
  /// The conflict on one line: where, what, and what was taken.
  public var description: String {
    let place = fact.map { "\(path): \($0)" } ?? "\(path)"
    return "\(place): \(message)"
      + (taken.map { " (the merged model has \($0 == .ours ? "ours" : "theirs"))" } ?? "")
  }
}

extension MergeConflict: Comparable {
  /// Orders by place, then by what is there.
  public static func < (left: MergeConflict, right: MergeConflict) -> Bool {
    (left.path, left.fact ?? "", left.kind.rawValue, left.message)
      < (right.path, right.fact ?? "", right.kind.rawValue, right.message)
  }
}
