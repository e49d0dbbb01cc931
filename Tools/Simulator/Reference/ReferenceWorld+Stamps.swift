/// What the classes of objects do by themselves.
extension ReferenceWorld {
  /// What an attribute of a new object begins with.
  func beginning(_ attribute: AttributePlan, of entity: String) -> Int? {
    model.stamp(of: entity) == attribute.name ? StampedObject.new : attribute.defaultValue
  }

  /// That objects which set something by themselves when they are saved are known to be saved: after an undo, one
  /// that is as it was may count as changed or not.
  func requireKnownStamps(_ c: Int) throws {
    guard contexts[c].undo.makesFlagsVague else { return }
    for object in contexts[c].objects.values where !object.isFault && !object.differs {
      guard let key = model.stamp(of: object.entity),
        object.attributes[key] != StampedObject.saved
      else { continue }
      throw Undecided("whether an object counts as changed after an undo")
    }
  }

  /// Before a save, once deletions have reached others; and for what has come to it since, when conflicts are
  /// resolved.
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
