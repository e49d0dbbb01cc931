/// One of the two versions being merged.
public enum MergeSide: String, Hashable, Sendable, Codable {
  case ours
  case theirs

  /// The opposite side.
  var other: MergeSide { self == .ours ? .theirs : .ours }
}

/// Two incompatible edits, and the result in the merged model.
///
/// ```swift
/// for conflict in try ModelMerge(base: released, ours: mine, theirs: yours).conflicts {
///   print(conflict.path, conflict.message)
/// }
/// ```
public struct MergeConflict: Hashable, Sendable {
  /// The kind of conflict.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Both sides changed a fact to different values.
    case changedDifferently
    /// Both sides added different elements with the same name.
    case addedDifferently
    /// One side removed an element that the other changed.
    case removedAndChanged
    /// Both sides renamed the element differently.
    case renamedDifferently
    /// Both sides moved the element to different places.
    case movedDifferently
    /// One side combined several properties into one, or split one into several, and the other changed one of them.
    case regroupedAndChanged
    /// One side removed an element that the other newly uses.
    case removedButUsed
    /// One side changed the type or kind of a property on which the other newly depends.
    case retypedButUsed
    /// Two elements would have the same name after both sides' edits.
    case nameTaken
    /// An entity would be its own ancestor after both sides' edits.
    case hierarchyCycle
    /// Inverse relationships would not be mutual after both sides' edits.
    case inverseNotMutual
    /// The merged model violates a rule that neither side violates.
    case invalid
    /// Both sides added a version with the same name or number, or changed a shipped one.
    case version
  }

  /// The kind of conflict.
  public let kind: Kind
  /// The location, by the names of the merged model.
  public let path: ModelPath
  /// The fact; nil when the conflict concerns the element as a whole.
  public let fact: String?
  /// The value in the base; `.none` when there is none.
  public let base: ModelValue
  /// The value on our side.
  public let ours: ModelValue
  /// The value on their side.
  public let theirs: ModelValue
  /// The side whose edit is in the merged model; nil when it has parts of both.
  public let taken: MergeSide?
  /// What both sides did, in one sentence.
  public let message: String

  /// Creates a conflict, also for content that models don't represent.
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
  /// The conflict in one line: the location, the edits, and the result.
  public var description: String {
    let place = fact.map { "\(path): \($0)" } ?? "\(path)"
    return "\(place): \(message)"
      + (taken.map { " (the merged model has \($0 == .ours ? "ours" : "theirs"))" } ?? "")
  }
}

extension MergeConflict: Comparable {
  /// Orders by path, then by fact and kind.
  public static func < (left: MergeConflict, right: MergeConflict) -> Bool {
    (left.path, left.fact ?? "", left.kind.rawValue, left.message)
      < (right.path, right.fact ?? "", right.kind.rawValue, right.message)
  }
}
