/// What becomes of a relationship's destinations when its object is deleted.
public enum NSDeleteRule: UInt, Sendable, CaseIterable {
  /// Nothing: they keep pointing at the deleted object.
  case noActionDeleteRule = 0
  /// Their inverse is set to nil.
  case nullifyDeleteRule = 1
  /// They are deleted too.
  case cascadeDeleteRule = 2
  /// The object isn't deleted while there are any.
  case denyDeleteRule = 3
}
