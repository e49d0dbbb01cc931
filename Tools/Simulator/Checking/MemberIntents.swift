import MomKit

/// What a program last wanted of the members of many-to-many relationships: a save that succeeds stores it, whatever was
/// loaded when. Only steps that change nothing else may come between.
struct MemberIntents {
  private struct Place: Hashable {
    let context: Int
    let owner: ObjectName
    let key: String
    let member: ObjectName
  }

  /// An object in a context.
  private struct Registered: Hashable {
    let context: Int
    let object: ObjectName
  }

  private var intents: [Place: Bool] = [:]
  /// The contexts that may have read what others have changed since: to them, a change may seem to be none.
  private var outdated: Set<Int> = []
  /// The objects that have been read again in these.
  private var readAgain: Set<Registered> = []

  /// To be called after a step that has succeeded.
  mutating func note(_ operation: Operation, in stack: Stack) {
    switch operation {
    case .add(let c, let owner, let key, let member):
      note(Place(context: c, owner: owner, key: key, member: member), isMember: true, in: stack)
    case .remove(let c, let owner, let key, let member):
      note(Place(context: c, owner: owner, key: key, member: member), isMember: false, in: stack)
    case .existing, .look, .settle, .fetch: break
    case .insert, .set, .point, .replace, .delete, .undo, .redo, .rollback: intents = [:]
    case .refresh(let c, let name, _):
      intents = [:]
      readAgain.insert(Registered(context: c, object: name))
    case .reset(let c):
      intents = [:]
      outdated.remove(c)
    case .save(let c):
      intents = [:]
      readAgain = readAgain.filter { $0.context == c }
      outdated.formUnion(stack.contexts.indices.filter { $0 != c })
    default:
      intents = [:]
      readAgain = []
      outdated = Set(stack.contexts.indices)
    }
  }

  /// To be called after a step that has failed.
  mutating func forget() { intents = [:] }

  private mutating func note(_ place: Place, isMember: Bool, in stack: Stack) {
    // What is said of one relationship is said of its inverse.
    guard let relationship = stack.plan.relationship(place.key),
      let inverse = stack.plan.inverse(of: relationship), relationship.isToMany, inverse.isToMany,
      !outdated.contains(place.context)
        || readAgain.contains(Registered(context: place.context, object: place.owner)),
      stack.areChanged([place.owner, place.member], place.context)
    else { return intents = [:] }
    intents = intents.filter { $0.key.key == relationship.name }
    intents[place] = isMember
    guard inverse.name == relationship.name, place.owner != place.member else { return }
    // The other side is the same relationship's.
    let other = Place(
      context: place.context, owner: place.member, key: place.key, member: place.owner)
    intents[other] = isMember
  }

  /// After a save that has succeeded: the first intent that the stores don't fulfill.
  func broken(in stack: Stack, _ c: Int) throws -> String? {
    let setup = stack.setup.contexts[c]
    let mine = intents.filter { $0.key.context == c }
    guard !mine.isEmpty, setup.parent == nil, setup.policy == .error else { return nil }
    let stored = try GraphState.stored(stack.coordinators[setup.coordinator], stack.plan)
    func uri(_ name: ObjectName) -> String? {
      stack.identities[name]?.uriRepresentation().absoluteString
    }
    for (place, isMember) in mine.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      guard let owner = uri(place.owner), let member = uri(place.member),
        let object = stored.objects[owner], stored.objects[member] != nil
      else { continue }
      if object.toManys[place.key]?.contains(member) != isMember {
        return "\(place.key) of \(owner): \(member) is \(isMember ? "missing" : "still there")"
      }
    }
    return nil
  }
}

extension Stack {
  /// Whether a context has objects of these names that are changed and not deleted: a pinned context may not have their
  /// rows, and what was read before another context's save may leave nothing to change.
  fileprivate func areChanged(_ names: [ObjectName], _ c: Int) -> Bool {
    within(c) { _ in
      names.allSatisfy { held[c][$0].map { $0.hasChanges && !$0.isDeleted } ?? false }
    }
  }
}
