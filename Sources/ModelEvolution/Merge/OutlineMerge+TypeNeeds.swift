import DataModels
import PredicateFormat

// Conditions and expressions written by one side for properties that the other side has changed. They merge fact by
// fact, but are meaningless together.
extension OutlineMerge {
  /// Reports that one side newly uses a property in a condition or an expression, while the other side changed the
  /// property's type, made it transient, or turned a to-many relationship into a to-one or vice versa.
  mutating func reportRetyping() {
    for (identity, entry) in merged {
      let needs = entry.element.typeNeeds
      guard !needs.isEmpty, base[identity]?.element != entry.element else { continue }
      let known = base[identity]?.element.typeNeeds ?? []
      let (mine, yours) = (
        ours[identity]?.element.typeNeeds ?? [], theirs[identity]?.element.typeNeeds ?? []
      )
      var reported = Set<ModelPath>()
      let new = needs.subtracting(known)
      let one = new.filter { mine.contains($0) && !yours.contains($0) }.map { ($0, MergeSide.ours) }
      let other = new.filter { !mine.contains($0) && yours.contains($0) }
        .map { ($0, MergeSide.theirs) }
      for (need, side) in one + other {
        guard let seen = entries(of: side)[need.property]?.element,
          let now = merged[need.property]?.element, !need.isMet(by: now, as: seen),
          reported.insert(need.property).inserted
        else { continue }
        let user = displayName(of: identity)
        let (before, after) = (shape(of: seen), shape(of: now))
        conflict(need.property) { path in
          MergeConflict(
            .retypedButUsed, at: path, ours: .text(side == .ours ? before : after),
            theirs: .text(side == .ours ? after : before), taken: nil,
            "\(side.rawValue) newly uses it in \(user) as \(before), but"
              + " \(side.other.rawValue) made it \(after)")
        }
      }
    }
  }

  /// A description of a property's type.
  private func shape(of element: ModelElement) -> String {
    if element.kind == .relationship {
      let goal = element["destination"].entityName.map { displayName(of: .entity($0)) } ?? "nothing"
      return "to-\(element["maxCount"].integer == 1 ? "one" : "many") \(goal)"
    }
    guard element.kind.isAttribute else { return element.kind.rawValue }
    return (element["transient"].isTrue ? "transient " : "") + "\(element["type"])"
  }
}

/// A dependency of a condition or an expression on a property, which constrains how the property may change.
private struct TypeNeed: Hashable {
  /// How closely the use depends on the property's type.
  enum Depth: Hashable {
    /// On its being stored, and to-one or to-many: the property is only accessed.
    case shape
    /// Also on the kind of its values, where all numeric types are one kind: the property is compared with something.
    case kind
    /// On its exact type: something is computed from it.
    case type
  }

  /// The identity of the property.
  let property: ModelPath
  let depth: Depth
  /// What uses it: a comparison or an expression; an empty value for a plain key path.
  let use: AnyHashable

  /// Whether a property is still compatible with what it was, as far as the use depends on it.
  func isMet(by now: ModelElement, as seen: ModelElement) -> Bool {
    guard now.kind.isAttribute == seen.kind.isAttribute,
      now.kind.isAttribute || now.kind == seen.kind
    else { return false }
    if now["transient"].isTrue, !seen["transient"].isTrue { return false }
    guard now.kind.isAttribute else {
      return (now["maxCount"].integer == 1) == (seen["maxCount"].integer == 1)
        && now["destination"] == seen["destination"]
    }
    switch depth {
    case .shape: return now.kind == seen.kind || now.kind != .compositeAttribute
    case .kind: return now["type"] == seen["type"] || (now.isNumber && seen.isNumber)
    case .type: return now["type"] == seen["type"]
    }
  }
}

extension ModelElement {
  fileprivate var isNumber: Bool {
    guard let number = self["type"].integer,
      let type = NSAttributeType(rawValue: UInt(clamping: number))
    else { return false }
    return switch type.traits.kind {
    case .integer, .decimal, .real: true
    default: false
    }
  }

  /// The dependencies of the element's conditions and expressions on properties.
  fileprivate var typeNeeds: Set<TypeNeed> {
    switch kind {
    case .derivedAttribute, .fetchedProperty, .fetchRequest, .index, .entity: break
    case .model, .attribute, .compositeAttribute, .relationship, .expressionProperty,
      .configuration:
      return []
    }
    var needs = Set<TypeNeed>()
    for (fact, value) in facts where fact.holdsReferences { value.addTypeNeeds(to: &needs) }
    return needs
  }
}

extension ModelValue {
  // The recursion follows the fact table, and predicates, whose depth is bounded by their readers.
  fileprivate func addTypeNeeds(to needs: inout Set<TypeNeed>) {
    switch self {
    case .keyPath(let path):
      needs.formUnion(Self.needs(of: [path], .shape, AnyHashable("")))
    case .predicate(let predicate):
      predicate.predicate.tree.addTypeNeeds(to: &needs)
    case .expression(let expression):
      let tree = expression.expression.tree
      needs.formUnion(Self.needs(of: tree.keyPaths, .type, AnyHashable(tree)))
    case .list(let values), .set(let values):
      for value in values { value.addTypeNeeds(to: &needs) }
    case .record(let fields):
      for value in fields.values { value.addTypeNeeds(to: &needs) }
    // An index or a constraint over a property itself works with any type; model checks report the exceptions.
    case .none, .flag, .integer, .real, .decimal, .text, .date, .data, .uuid, .url, .choice,
      .entity, .property, .object:
      break
    }
  }

  /// The dependencies of key paths. The values matter only for the last property of a path.
  fileprivate static func needs(
    of paths: [String], _ depth: TypeNeed.Depth, _ use: AnyHashable
  ) -> [TypeNeed] {
    paths.flatMap { path in
      let properties = path.split(separator: ".").compactMap { PropertyIdentity.decode($0) }
      return properties.enumerated().map { place, property in
        TypeNeed(
          property: property, depth: place + 1 == properties.count ? depth : .shape, use: use)
      }
    }
  }
}

extension PredicateTree {
  // The recursion follows the predicate, whose depth is bounded by its reader.
  fileprivate func addTypeNeeds(to needs: inout Set<TypeNeed>) {
    switch self {
    case .value, .opaque: break
    case .compound(_, let members):
      for member in members { member.addTypeNeeds(to: &needs) }
    case .comparison(let comparison):
      let isExistence = [comparison.left, comparison.right].contains { $0.isNull }
      needs.formUnion(
        ModelValue.needs(
          of: comparison.left.keyPaths + comparison.right.keyPaths, isExistence ? .shape : .kind,
          AnyHashable(self)))
    }
  }
}

extension ExpressionTree {
  fileprivate var isNull: Bool {
    if case .constant(let value) = self { return value == .null }
    return false
  }

  /// All key paths in the expression.
  fileprivate var keyPaths: [String] {
    var paths: [String] = []
    _ = mapKeyPaths {
      paths.append($0)
      return $0
    }
    return paths
  }
}
