/// What a context posted.
struct Notice: Equatable {
  enum Kind: Equatable {
    case willSave, didSave, savedIdentities, didChange
  }

  /// The sets that notifications tell of.
  enum Part: CaseIterable {
    case inserted, updated, deleted, refreshed, invalidated
  }

  var kind: Kind
  var sets: [Part: Set<ObjectName>] = [:]
  /// Whether it told of an object that has no name here.
  var hasStrangers = false
  /// Whether it told that every object is invalid.
  var invalidatesAll = false

  subscript(part: Part) -> Set<ObjectName> { sets[part] ?? [] }
}
