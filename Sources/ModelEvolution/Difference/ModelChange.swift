/// A difference between two models.
public struct ModelChange: Hashable, Sendable {
  /// The kind of change.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case removed
    case added
    /// The element has a new name, as indicated by its renaming identifier.
    case renamed
    /// The element has a new position in the hierarchy: a property moved to an ancestor or descendant, or an entity got
    /// a new parent.
    case moved
    /// The value of one fact has changed.
    case changed
  }

  /// The kind of change.
  public let kind: Kind
  /// The path in the new model; for a removed element, in the old one.
  public let path: ModelPath
  /// The path in the old model; nil for an added element.
  public let oldPath: ModelPath?
  /// The kind of the changed element.
  public let elementKind: ModelElementKind
  /// The fact that has changed; nil unless the kind is `.changed`, or an entity has `.moved`.
  public let fact: String?
  /// The old value of the fact; `.none` if no fact has changed.
  public let oldValue: ModelValue
  /// The new value of the fact.
  public let newValue: ModelValue
  /// The added or removed element; nil otherwise.
  public let element: ModelElement?
  /// Whether the change alters the version hash of an entity, so that stores created with the old model need migration.
  public let changesHash: Bool
  /// Why the change does or doesn't alter the hash, in one line.
  public let reason: String
}

extension ModelChange: Comparable {
  private var rank: (Int, Int) {
    (
      Kind.allCases.firstIndex(of: kind) ?? 0,
      fact.flatMap { Fact.index(of: $0, for: elementKind) } ?? -1
    )
  }

  /// Orders changes by path, then by kind.
  public static func < (left: ModelChange, right: ModelChange) -> Bool {
    (left.path, left.rank.0, left.rank.1, left.oldPath ?? .model)
      < (right.path, right.rank.0, right.rank.1, right.oldPath ?? .model)
  }
}

extension ModelChange {
  /// The change in one line, without colour: `Book.pages: optional was yes, is no`.
  public var sentence: String {
    let kindName = elementKind.rawValue
    switch kind {
    case .added: return "\(kindName) \(path) was added"
    case .removed: return "\(kindName) \(path) was removed"
    case .renamed: return "\(kindName) \(oldPath?.name ?? "") was renamed to \(path)"
    case .moved:
      if fact != nil { return "\(path): the parent was \(oldValue), is \(newValue)" }
      return "\(kindName) \(oldPath.map(\.description) ?? "") was moved to \(path)"
    case .changed: return "\(path): \(fact ?? "") was \(oldValue), is \(newValue)"
    }
  }
}
