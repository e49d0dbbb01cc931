import MomKit

/// Runs an open program, whose steps may have results that the reference leaves undecided. What is compared are not
/// results but what holds whatever they are: no save leaves keys that lead nowhere or relationships with one side; what
/// was saved is stored; what was set and not saved stays set; and in the end every context reads what the stores have.
struct OpenRun {
  let stack: Stack
  var tally = Tally()
  /// Whether batches have changed rows: relationships may have been read before, and their other sides after it.
  private var hasUntoldChanges = false
  private var intents = MemberIntents()
  /// Whether contexts may have objects whose stores were removed: nothing is promised of their values.
  private var hasLostObjects = false
  /// Whether one side of a changed relationship was refreshed since the last save, which completes the other.
  private var hasHalfRelationships = false

  init(_ stack: Stack) { self.stack = stack }

  mutating func run(_ operations: [Operation]) -> Failure? {
    for (step, operation) in operations.enumerated() {
      if let failure = perform(operation, at: step) { return failure }
    }
    return StandingRules(stack, operations.count).checkFinally()
  }

  private mutating func perform(_ operation: Operation, at step: Int) -> Failure? {
    guard hasNames(operation) else { return nil }
    if dropsOneSide(operation) { hasHalfRelationships = true }
    tally.steps += 1
    let (rules, c) = (StandingRules(stack, step), operation.context)
    if case .rare(_, let step) = operation, step.endsObjects { hasLostObjects = true }
    let promise =
      operation.isSave && !hasLostObjects
      ? stack.within(c) { SavePromise(stack, $0, c, hasUntoldChanges: hasUntoldChanges) } : nil
    let unsaved = hasLostObjects ? nil : UnsavedPromise(stack, before: operation)
    let outcome = stack.perform(operation, expecting: .done)
    stack.trace.note(outcome, operation, at: step)
    if case .done = outcome {
      if operation.isSave { hasHalfRelationships = false }
      if let failure = promise?.check(at: step) { return failure }
    }
    if let failure = checkIntents(operation, outcome, step) { return failure }
    if operation.isEvolution, case .failed(_, let text) = outcome {
      return Failure(kind: "migration", step: step, text: text)
    }
    if let failure = unsaved?.check(at: step) { return failure }
    if operation.writes {
      tally.saves += 1
      if let failure = rules.checkStores() { return failure }
    }
    if case .batchUpdate = operation { hasUntoldChanges = true }
    if case .batchDelete = operation { hasUntoldChanges = true }
    if case .rare(_, let step) = operation, step.disturbs { hasUntoldChanges = true }
    guard operation.processesChanges, !hasUntoldChanges, !hasHalfRelationships else { return nil }
    return rules.checkSides(in: c)
  }

  private mutating func checkIntents(
    _ operation: Operation, _ outcome: Outcome, _ step: Int
  ) -> Failure? {
    // Handlers have intents of their own.
    guard stack.program.customs == nil, !hasLostObjects else { return nil }
    defer {
      if case .failed = outcome {
        intents.forget()
      } else {
        intents.note(operation, in: stack)
      }
    }
    guard operation.isSave, case .done = outcome else { return nil }
    do {
      let found = try intents.broken(in: stack, operation.context)
      return found.map { Failure(kind: "members not as wanted", step: step, text: $0) }
    } catch {
      return Failure(kind: "reading what was saved", step: step, text: "\(error)")
    }
  }

  /// Whether the model has the properties that a step names: the one that added them may be missing.
  private func hasNames(_ operation: Operation) -> Bool {
    let names = stack.plan.entities.flatMap {
      $0.attributes.map(\.name) + $0.relationships.map(\.name)
    }
    return Set(names).isSuperset(of: operation.keys)
  }

  /// Whether a step drops one side of changed relationships. The next save completes the other.
  private func dropsOneSide(_ operation: Operation) -> Bool {
    guard case .refresh(let c, let name, merging: false) = operation,
      let object = stack.held[c][name]
    else { return false }
    return stack.within(c) { _ in
      object.changedValues().keys.contains { stack.plan.relationship($0) != nil }
    }
  }
}
