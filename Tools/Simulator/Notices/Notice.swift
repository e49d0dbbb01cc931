/// A notification that a context posted.
struct Notice: Equatable {
  enum Kind: Equatable {
    case willSave, didSave, savedIdentities, didChange
  }

  /// The sets of objects in a notification.
  enum Part: CaseIterable {
    case inserted, updated, deleted, refreshed, invalidated
  }

  var kind: Kind
  var sets: [Part: Set<ObjectName>] = [:]
  /// Whether it contained an object that couldn't be named.
  var hasStrangers = false
  /// Whether it declared all objects invalid.
  var invalidatesAll = false

  subscript(part: Part) -> Set<ObjectName> { sets[part] ?? [] }
}
