import MomKit

/// Checks of what holds after any step of any program.
struct StandingRules {
  private let stack: Stack
  private let step: Int

  init(_ stack: Stack, _ step: Int) {
    self.stack = stack
    self.step = step
  }

  /// After a step that may write: the files obey the format, and relationships lead to rows and have both sides.
  func checkStores() -> Failure? {
    do {
      if stack.hasTables, let failure = try checkFiles() { return failure }
      guard let coordinator = stack.coordinators.last else { return nil }
      let state = try GraphState.stored(coordinator, stack.plan)
      return state.brokenRelationship(stack.plan).map { failure("stored: \($0.rule)", $0.place) }
    } catch {
      return failure("reading the stores", "\(error)")
    }
  }

  private func checkFiles() throws -> Failure? {
    let layout = FileLayout(stack.plan)
    for store in 0..<stack.plan.storeCount {
      let file = try StoreFile(at: stack.url(of: store))
      stack.trace.note(file, at: step)
      let check = FileCheck(file: file, layout: layout, store: store)
      // Whether keys may lead nowhere depends on the relationships.
      let findings = check.findings(hasOneWriter: true).filter { !$0.hasPrefix("dangling") }
      if let finding = findings.first {
        return failure("file: \(finding.prefix { $0 != ":" })", finding)
      }
    }
    return nil
  }

  /// After an event: both sides of the relationships of a context's objects agree, where they are loaded. Where others
  /// write, the sides may have been read at different times, so this is for contexts that are alone.
  func checkSides(in c: Int) -> Failure? {
    guard stack.contexts.count == 1 else { return nil }
    return stack.within(c) { context in
      var state = GraphState(isPart: true)
      for object in context.registeredObjects where !object.isDeleted && !object.isFault {
        state.objects[GraphState.uri(object)] = GraphState.object(
          object, stack.plan, onlyLoaded: true)
      }
      return state.brokenRelationship(stack.plan).map { failure("objects: \($0.rule)", $0.place) }
    }
  }

  /// At the end: without its changes, every context says what the stores have.
  func checkFinally() -> Failure? {
    for c in stack.contexts.indices.reversed() {
      let setup = stack.setup.contexts[c]
      do {
        let stored = try GraphState.stored(stack.coordinators[setup.coordinator], stack.plan)
        let found = try stack.within(c) { context -> Failure? in
          context.rollback()
          if setup.parent == nil { try context.setQueryGenerationFrom(nil) }
          context.refreshAllObjects()
          guard setup.parent == nil else { return nil }
          for object in context.registeredObjects
          where !object.isDeleted && object.objectID.persistentStore != nil {
            let uri = GraphState.uri(object)
            guard let expected = stored.objects[uri] else { continue }
            let actual = GraphState.object(object, stack.plan)
            guard actual != expected else { continue }
            return failure("at the end", "\(uri)\nstored \(expected)\nhere   \(actual)")
          }
          return nil
        }
        if let found { return found }
      } catch {
        return failure("at the end: error", "\(error)")
      }
    }
    return checkStores()
  }

  private func failure(_ kind: String, _ text: String) -> Failure {
    Failure(kind: kind, step: step, text: text)
  }
}
