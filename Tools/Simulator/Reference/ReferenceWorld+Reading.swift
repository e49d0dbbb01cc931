/// Reading objects.
extension ReferenceWorld {
  /// Reads all registered objects of a context completely.
  mutating func look(_ c: Int) throws -> [ObjectName: ObjectView] {
    var views: [ObjectName: ObjectView] = [:]
    for name in contexts[c].objects.keys.sorted() {
      if let object = contexts[c].objects[name], object.isGone {
        views[name] = ObjectView(entity: object.entity, flags: object.flags)
        continue
      }
      guard try load(c, name), let object = contexts[c].objects[name] else {
        throw Undecided("an object's row is gone")
      }
      views[name] = try view(c, name, object)
    }
    return views
  }

  private mutating func view(
    _ c: Int, _ name: ObjectName, _ object: ReferenceObject
  ) throws -> ObjectView {
    var view = ObjectView(entity: object.entity, flags: object.flags)
    if object.isDeleted { return view }
    if contexts[c].undo.makesFlagsVague, !object.isInserted { view.flags = ObjectView.vague }
    view.attributes = object.attributes
    view.toOnes = object.toOnes
    view.isOutdated =
      contexts[c].plan.parent == nil && object.stored?.version != store.rows[name]?.version
    for relationship in model.relationships(of: object.entity) where relationship.isToMany {
      let members = try readMembers(c, name, relationship)
      view.toManys[relationship.name] = relationship.isOrdered ? members : members.sorted()
    }
    return view
  }

  mutating func existing(_ c: Int, _ name: ObjectName) throws -> Expectation {
    if contexts[c].objects[name]?.isDeleted == true {
      throw Undecided(impossible: "a deleted object")
    }
    if try load(c, name) { return .finds([name]) }
    throw Undecided(impossible: "no such object")
  }

  /// What a new context must read.
  func savedViews() -> [ObjectName: ObjectView] {
    store.rows.reduce(into: [:]) { views, entry in
      let (name, row) = entry
      var view = ObjectView(entity: row.entity, flags: "")
      view.attributes = withDefaults(row).attributes
      view.toOnes = row.toOnes
      for relationship in model.relationships(of: row.entity) where relationship.isToMany {
        view.toManys[relationship.name] = store.members(name, relationship)
        for attribute in model.attributes(of: row.entity)
        where attribute.counted == relationship.name {
          view.attributes[attribute.name] = store.members(name, relationship).count
        }
      }
      views[name] = view
    }
  }
}

extension ReferenceObject {
  /// The flags, one letter for each that is set.
  var flags: String {
    (isInserted && !isDeleted ? "i" : "") + (isUpdated && !isDeleted && !isInserted ? "u" : "")
      + (isDeleted ? "d" : "")
  }
}
