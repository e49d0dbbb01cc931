import MomKit

/// What every context promises: only what drops changes, or changes the same objects again, changes the values that a
/// program has set and not saved. Merges and reads keep them.
struct UnsavedPromise {
  private let stack: Stack
  private var changes: [(c: Int, object: NSManagedObject, values: [String: Int?])] = []

  /// To be made before a step.
  init(_ stack: Stack, before operation: Operation) {
    self.stack = stack
    for c in stack.contexts.indices where operation.keepsChanges(of: c, stack.setup) {
      changes += stack.within(c) { context in
        (context.insertedObjects.union(context.updatedObjects)).filter { !$0.isDeleted }.map {
          (c, $0, values(of: $0))
        }
      }
    }
  }

  /// The attributes that differ from what was read.
  private func values(of object: NSManagedObject) -> [String: Int?] {
    var values: [String: Int?] = [:]
    let entity = object.entity.name ?? ""
    for key in object.changedValues().keys {
      guard let attribute = stack.plan.attribute(key, of: entity), attribute.counted == nil else {
        continue
      }
      values[key] = number(object, attribute)
    }
    return values
  }

  private func number(_ object: NSManagedObject, _ attribute: AttributePlan) -> Int? {
    object.value(forKey: attribute.name).map { value in
      attribute.name == ModelPlan.serial
        ? (value as? NSNumber)?.intValue ?? -1 : attribute.kind.number(of: value) ?? -1
    }
  }

  /// To be called after the step.
  func check(at step: Int) -> Failure? {
    for (c, object, values) in changes {
      let found = stack.within(c) { context -> String? in
        guard object.managedObjectContext === context, !object.isDeleted else { return nil }
        let entity = object.entity.name ?? ""
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
          guard let attribute = stack.plan.attribute(key, of: entity) else { continue }
          let now = number(object, attribute)
          if now != value {
            return
              "\(key) of \(GraphState.uri(object)) in c\(c) was \(value.map(String.init) ?? "nil"),"
              + " and is \(now.map(String.init) ?? "nil")"
          }
        }
        return nil
      }
      if let found { return Failure(kind: "an unsaved change is lost", step: step, text: found) }
    }
    return nil
  }
}

extension Operation {
  /// Whether the step leaves what is changed in a context as it is.
  fileprivate func keepsChanges(of c: Int, _ setup: Setup) -> Bool {
    if case .evolve = self { return false }
    if case .reopen = self { return false }
    if case .rare(_, let step) = self { return step.keepsChanges }
    guard c != context else { return isReading }
    // A child's save is a change of its parent.
    return setup.contexts[context].parent != c || isReading
  }

  private var isReading: Bool {
    switch self {
    case .settle, .look, .existing, .fetch, .select, .merge, .obtainIDs, .pin, .unpin, .refreshAll,
      .batchInsert, .batchUpdate, .batchDelete:
      true
    default: false
    }
  }
}
