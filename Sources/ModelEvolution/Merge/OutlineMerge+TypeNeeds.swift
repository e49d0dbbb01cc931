import DataModels
import PredicateFormat

// Conditions and expressions that one side wrote for properties as they were, and that the other side made
// something else of. They merge fact by fact, and mean nothing together.
extension OutlineMerge {
  /// Reports that one side newly uses a property in a condition or an expression, and the other side gave the property
  /// another type, made it transient or stored no more, or made one of many.
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

  /// What a property is, for people.
  private func shape(of element: ModelElement) -> String {
    if element.kind == .relationship {
      let goal = element["destination"].entityName.map { displayName(of: .entity($0)) } ?? "nothing"
      return "to-\(element["maxCount"].integer == 1 ? "one" : "many") \(goal)"
    }
    guard element.kind.isAttribute else { return element.kind.rawValue }
    return (element["transient"].isTrue ? "transient " : "") + "\(element["type"])"
  }
}

/// That a condition or an expression uses a property, so that the property must stay what it is.
private struct TypeNeed: Hashable {
  /// How much of a property a use depends on.
  enum Depth: Hashable {
    /// That it is stored, and one or many: it is only asked for.
    case shape
    /// The kind of its values too, numbers of all sorts being one: it is compared with something.
    case kind
    /// Its very type: something is computed of it.
    case type
  }

  /// The identity of the property.
  let property: ModelPath
  let depth: Depth
  /// What uses it: a comparison, an expression, or nothing for a bare key.
  let use: AnyHashable

  /// Whether a property still is what it was, as far as this goes.
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

  /// What the element's conditions and expressions need of properties.
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
  // Recursion follows the shape of the fact table, and predicates, whose depth their readers bound.
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
    // An index or a constraint over a property alone goes with any type, and checks of models tell of the rest.
    case .none, .flag, .integer, .real, .decimal, .text, .date, .data, .uuid, .url, .choice,
      .entity, .property, .object:
      break
    }
  }

  /// What key paths need. Only of the last property the values matter; those before it lead there.
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
  // Recursion follows the predicate, whose depth its reader bounds.
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
