/// The behavior of the objects' own classes.
extension ReferenceWorld {
  /// The initial value of an attribute of a new object.
  func beginning(_ attribute: AttributePlan, of entity: String) -> Int? {
    model.stamp(of: entity) == attribute.name ? StampedObject.new : attribute.defaultValue
  }

  /// Throws `Undecided` if it is unspecified whether an object with a stamp is saved: after an undo, an unchanged
  /// object may or may not count as changed.
  func requireKnownStamps(_ c: Int) throws {
    guard contexts[c].undo.makesFlagsVague else { return }
    for object in contexts[c].objects.values where !object.isFault && !object.differs {
      guard let key = model.stamp(of: object.entity),
        object.attributes[key] != StampedObject.saved
      else { continue }
      throw Undecided("whether an object counts as changed after an undo")
    }
  }

  /// Whether a save stamps objects before it resolves conflicts: a second attempt would stamp what the first one has read
  /// again.
  func stampsAgain(_ c: Int) -> Bool {
    resolvesConflicts(c)
      && contexts[c].objects.values.contains { $0.hasChanges && model.stamp(of: $0.entity) != nil }
  }

  /// Calls `willSave` of the changed objects: before a save once deletions are propagated, and again for objects added
  /// to the save while conflicts are resolved.
  mutating func willSave(_ c: Int, besides known: [ObjectName] = []) throws {
    for name in contexts[c].names({ $0.hasChanges && !$0.isDeleted }) {
      guard !known.contains(name), let object = contexts[c].objects[name],
        let key = model.stamp(of: object.entity),
        object.attributes[key] != StampedObject.saved
      else { continue }
      try change(c, name) { $0.attributes[key] = StampedObject.saved }
    }
    try settle(c)
  }
}
