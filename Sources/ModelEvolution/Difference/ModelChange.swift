/// One difference between two models.
public struct ModelChange: Hashable, Sendable {
  /// What happened.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case removed
    case added
    /// It has another name, as its renaming identifier tells.
    case renamed
    /// It has another place in the hierarchy: a property went to an ancestor or descendant, or an
    /// entity got another parent.
    case moved
    /// One fact about it says something else.
    case changed
  }

  /// What happened.
  public let kind: Kind
  /// Where it is in the new model; in the old one for what was removed.
  public let path: ModelPath
  /// Where it was in the old model; nil for what was added.
  public let oldPath: ModelPath?
  /// What it is that changed.
  public let elementKind: ModelElementKind
  /// The fact that says something else; nil unless the kind is `.changed`, or an entity `.moved`.
  public let fact: String?
  /// What the fact said; `.none` for what is no change of a fact.
  public let oldValue: ModelValue
  /// What the fact says now.
  public let newValue: ModelValue
  /// Everything that was added or removed; nil otherwise.
  public let element: ModelElement?
  /// Whether the version hash of an entity changes because of it, so that stores made with the old
  /// model need a migration.
  public let changesHash: Bool
  /// Why it changes the hash or why it doesn't, in one line.
  public let reason: String
}

extension ModelChange: Comparable {
  private var rank: (Int, Int) {
    (
      Kind.allCases.firstIndex(of: kind) ?? 0,
      fact.flatMap { Fact.index(of: $0, for: elementKind) } ?? -1
    )
  }

  /// Changes sort by where they are, then by what they are.
  public static func < (left: ModelChange, right: ModelChange) -> Bool {
    (left.path, left.rank.0, left.rank.1, left.oldPath ?? .model)
      < (right.path, right.rank.0, right.rank.1, right.oldPath ?? .model)
  }
}

extension ModelChange {
  /// The change on one line, without colour: `Book.pages: optional was yes, is no`.
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
