/// Evaluates predicates.
extension ReferenceWorld {
  // MARK: Values

  private func object(_ name: ObjectName, in place: Place) -> ReferenceObject? {
    guard case .context(var c) = place else { return nil }
    while true {
      if let object = contexts[c].objects[name], !object.isFault { return object }
      guard let parent = contexts[c].plan.parent else { return nil }
      c = parent
    }
  }

  func entity(_ name: ObjectName, in place: Place) -> String? {
    object(name, in: place)?.entity ?? store.rows[name]?.entity
  }

  func attribute(_ name: ObjectName, _ key: String, in place: Place) -> Int? {
    guard let object = object(name, in: place) else { return store.rows[name]?.attributes[key] }
    return object.attributes[key]
  }

  func toOne(_ name: ObjectName, _ key: String, in place: Place) -> ObjectName? {
    guard let object = object(name, in: place) else { return store.rows[name]?.toOnes[key] }
    return object.toOnes[key]
  }

  func toMany(_ name: ObjectName, _ key: String, in place: Place) -> [ObjectName] {
    guard let entity = entity(name, in: place),
      let relationship = model.relationship(key, of: entity)
    else { return [] }
    guard case .context(let c) = place, object(name, in: place) != nil else {
      return store.members(name, relationship)
    }
    var copy = self
    _ = try? copy.load(c, name)
    return (try? copy.readMembers(c, name, relationship)) ?? []
  }

  // MARK: Truth

  /// Whether an object matches. Nil if this is unknown, as for SQL comparisons with a missing value, where neither the
  /// condition nor its negation matches. An in-memory store evaluates like Foundation, where nothing is unknown.
  /// Unsaved objects are evaluated like the rows of their store.
  func fits(_ condition: Condition, _ name: ObjectName, in place: Place) -> Bool? {
    switch condition {
    case .attribute(let key, let comparison, let value):
      return compare(attribute(name, key, in: place), comparison, value)
    case .extreme: return nil
    case .oneOf(let key, let values):
      return attribute(name, key, in: place).map(values.contains) ?? ofMissing
    case .destination(let key, let target, _):
      let present = toOne(name, key, in: place)
      if target != nil, present == nil { return ofMissing }
      return present == target
    case .through(let relationship, let key, let comparison, let value):
      let target = toOne(name, relationship, in: place)
      return compare(target.flatMap { attribute($0, key, in: place) }, comparison, value)
    case .anyMember(let key, let member, _):
      return toMany(name, key, in: place).contains(member)
    case .anyMemberAttribute(let relationship, let key, let comparison, let value):
      return toMany(name, relationship, in: place).contains {
        compare(attribute($0, key, in: place), comparison, value) == true
      }
    case .memberCount(let key, let comparison, let value):
      return compare(toMany(name, key, in: place).count, comparison, value)
    case .object(let other, _): return name == other
    case .objects(let others, _): return others.contains(name)
    case .not(let condition): return fits(condition, name, in: place).map { !$0 }
    case .all(let conditions):
      let truths = conditions.map { fits($0, name, in: place) }
      return truths.contains(false) ? false : truths.contains(nil) ? nil : true
    case .any(let conditions):
      let truths = conditions.map { fits($0, name, in: place) }
      return truths.contains(true) ? true : truths.contains(nil) ? nil : false
    }
  }

  /// A condition with the greatest and least values among objects in the place of what stands for them.
  func withExtremes(
    _ condition: Condition, among names: [ObjectName], in place: Place
  ) -> Condition {
    switch condition {
    case .extreme(let key, let comparison, let isGreatest):
      let values = names.compactMap { attribute($0, key, in: place) }
      // Without any value it stays unknown.
      guard let extreme = isGreatest ? values.max() : values.min() else { return condition }
      return .attribute(key, comparison, extreme)
    case .not(let condition): return .not(withExtremes(condition, among: names, in: place))
    case .all(let parts): return .all(parts.map { withExtremes($0, among: names, in: place) })
    case .any(let parts): return .any(parts.map { withExtremes($0, among: names, in: place) })
    default: return condition
    }
  }

  /// The result of a comparison with a missing value.
  private var ofMissing: Bool? { nilIsUnknown ? nil : false }

  private func compare(
    _ present: Int?, _ comparison: Condition.Comparison, _ value: Int?
  ) -> Bool? {
    guard let value else {
      // Nothing is before or after what is missing.
      guard comparison == .equal || comparison == .unequal else { return ofMissing }
      return (present == nil) == (comparison == .equal)
    }
    guard let present else { return comparison == .unequal && !nilIsUnknown ? true : ofMissing }
    return switch comparison {
    case .equal: present == value
    case .unequal: present != value
    case .less: present < value
    case .greaterOrEqual: present >= value
    }
  }
}

extension Condition {
  /// The objects that the condition names.
  var constants: [ObjectName] {
    switch self {
    case .destination(_, let name, _): name.map { [$0] } ?? []
    case .anyMember(_, let name, _), .object(let name, _): [name]
    case .objects(let names, _): names
    case .not(let condition): condition.constants
    case .all(let conditions), .any(let conditions): conditions.flatMap(\.constants)
    default: []
    }
  }

  /// Whether the condition depends on all objects of the entity.
  var readsExtremes: Bool {
    switch self {
    case .extreme: true
    case .not(let condition): condition.readsExtremes
    case .all(let conditions), .any(let conditions): conditions.contains(where: \.readsExtremes)
    default: false
    }
  }

  /// Whether the condition depends on the values of other objects.
  var readsMembers: Bool {
    switch self {
    case .anyMember, .anyMemberAttribute, .memberCount, .through: true
    case .not(let condition): condition.readsMembers
    case .all(let conditions), .any(let conditions): conditions.contains(where: \.readsMembers)
    default: false
    }
  }
}
