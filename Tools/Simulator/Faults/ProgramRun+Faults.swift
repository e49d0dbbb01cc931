import MomKit

/// Steps with a fault.
extension ProgramRun {
  /// Performs one step while the files have a fault: the step must either succeed all the same, or throw, change
  /// nothing and succeed when repeated.
  mutating func perform(
    _ operation: Operation, under fault: Fault, at step: Int, _ stack: Stack,
    _ world: inout ReferenceWorld
  ) -> Failure? {
    let before = world
    let expected = world.apply(.under(fault, operation))
    guard expected != .skipped else { return nil }
    tally.steps += 1
    if operation.writes { tally.saves += 1 }
    // It is unspecified whether a failed step determines the state of a context that is about to be pinned.
    let isPinned = before.contexts[operation.context].generation == .next
    guard fault.applies(to: operation, stack), !isPinned else {
      done.append(operation)
      return compare(
        operation, expected, stack.perform(operation, expecting: expected), step, stack,
        before.store, &world)
    }
    if fault.isKill {
      let (outcome, calls) = FileFaults.calls(in: stack.folder) {
        stack.perform(operation, expecting: expected)
      }
      if let failure = compare(operation, expected, outcome, step, stack, before.store, &world) {
        return failure
      }
      tally.kills += 1
      var kill = fault
      kill.call = calls == 0 ? 1 : (fault.call - 1) % calls + 1
      defer { done.append(operation) }
      return KillTrial(program: program, step: step, done: done, operation: operation, fault: kill)
        .run(before: before, after: world)
    }
    let held = stack.held[operation.context]
    let (outcome, met) = FileFaults.under(fault, in: stack.folder) {
      stack.perform(operation, expecting: expected)
    }
    if met.faults > 0 { tally.faults += 1 }
    if fault.kind == .noFolder { stack.mayLeaveFiles = true }
    guard fault.stopped(outcome, met, expected), case .failed(let code, let text) = outcome else {
      // A child's save may have moved its deletions into the parent, where they are pending because something couldn't
      // be read: this processes them.
      let handsOver =
        operation.isSave && expected == .done
        && before.hasSomethingToSave(operation.context) != false
      if met.faults > 0, handsOver { stack.settleParent(of: operation.context) }
      done.append(operation)
      return compare(operation, expected, outcome, step, stack, before.store, &world)
    }
    guard Self.codes.contains(code) else {
      return Failure(kind: "fault: error \(code)", step: step, text: "\(fault): \(text)")
    }
    if let failure = StoreComparison(stack, step).compare(before) {
      return Failure(kind: "after \(fault.kind): \(failure.kind)", step: step, text: failure.text)
    }
    let hasResolved = operation.isSave && before.resolvesConflicts(operation.context)
    if fault.isRetried || hasResolved {
      done.append(operation)
      // What the first attempt has moved to survivors, and what returns from there, the second one writes.
      if hasResolved { world.store.uncertain.formUnion(world.store.rows.keys) }
      let failure = compare(
        operation, expected, stack.perform(operation, expecting: expected), step, stack,
        before.store, &world)
      return failure.map {
        Failure(kind: "again after \(fault.kind): \($0.kind)", step: step, text: $0.text)
      }
    }
    world = before
    // The failed save has propagated deletions, and what these have changed is read again after a rollback.
    if operation.isSave { _ = world.apply(.settle(operation.context)) }
    // The reference doesn't know objects that only the step's predicate named.
    let (c, present) = (operation.context, stack.held[operation.context])
    stack.held[c] = held.filter { present[$0.key] != nil }
    let rollback = Operation.rollback(operation.context)
    let rolledBack = world.apply(rollback)
    done.append(rollback)
    return compare(
      rollback, rolledBack, stack.perform(rollback, expecting: rolledBack), step, stack,
      before.store, &world)
  }

  private func compare(
    _ operation: Operation, _ expected: Expectation, _ outcome: Outcome, _ step: Int,
    _ stack: Stack, _ storeBefore: ReferenceStore, _ world: inout ReferenceWorld
  ) -> Failure? {
    Comparison(step).compare(expected, outcome, world.model)
      ?? ControllerComparison(stack, step).compare(world, after: operation)
      ?? StoreComparison(stack, step).compare(world)
      ?? FileComparison(stack, step).compare(&world)
      ?? HistoryComparison(stack, step)
      .compare(storeBefore, world.store, isSave: operation.isSave)
  }

  /// The errors that file faults may cause: a full disk, a lock held for too long, a store that can't be read or
  /// written. A damaged file and errors of the program itself are not among them.
  private static let codes: Set<Int> = [
    CocoaError.Code.fileWriteOutOfSpace.rawValue, CocoaError.Code.fileWriteUnknown.rawValue,
    CocoaError.Code.fileWriteFileExists.rawValue, CocoaError.Code.fileReadUnknown.rawValue,
    CocoaError.Code.fileWriteNoPermission.rawValue,
    NSPersistentStoreSaveError, NSPersistentStoreTimeoutError, NSPersistentStoreOpenError,
    NSPersistentStoreOperationError, NSCoreDataError,
  ]
}

extension Operation {
  /// Whether the operation's changes are merged into contexts.
  fileprivate var isMerged: Bool {
    switch self {
    case .batchInsert(_, _, _, let merging), .batchUpdate(_, _, _, _, _, let merging),
      .batchDelete(_, _, _, let merging):
      merging
    default: false
    }
  }

  /// Whether objects are looked up before the operation begins.
  fileprivate var looksUpObjects: Bool {
    switch self {
    case .fetch(_, let plan): plan.condition?.namesObjects == true
    case .batchUpdate(_, _, let condition, _, _, _), .batchDelete(_, _, let condition, _):
      condition?.namesObjects == true
    default: false
    }
  }
}

extension Fault {
  /// Whether the fault can be used for a step. It can't if another process performs the step, as that has its own
  /// files. With several stores only faults that end the process can be used: stores don't commit together, so the
  /// first one's changes stay if the second one fails.
  func applies(to operation: Operation, _ stack: Stack) -> Bool {
    guard !stack.isRemote(operation.context) else { return false }
    if stack.setup.isInMemory {
      return stack.setup.wholeFile != nil && (kind == .cut || kind == .longFiles)
        && stack.plan.storeCount == 1
    }
    if isKill { return !mayRename(stack) }
    return stack.plan.storeCount == 1 && !hindersOthers(operation, stack)
  }

  /// Whether others may have to read while reading fails, and would then go on with what they have: contexts that merge
  /// changes, those with controllers, and the step itself for the objects that it names. A disk that can't be written also
  /// prevents reading, as readers register themselves in a shared file, and objects with external values aren't read without
  /// their folder.
  private func hindersOthers(_ operation: Operation, _ stack: Stack) -> Bool {
    guard kind == .noFolder || kind == .readError || kind == .readOnly else { return false }
    let contexts = stack.setup.contexts
    if operation.looksUpObjects { return true }
    if operation.isMerged || contexts.contains(where: \.mergesAutomatically) { return true }
    return contexts.contains { !$0.watches.isEmpty }
  }

  /// Whether rows may have the serial of another object, because a policy copied the values of an object with clashing
  /// unique values. The files alone don't show which object such a row belongs to.
  private func mayRename(_ stack: Stack) -> Bool {
    stack.setup.contexts.contains { $0.policy == .objectTrump }
      && stack.plan.entities.contains { !$0.constraints.isEmpty }
  }

  /// Whether a step failed because of the fault, rather than with the expected error.
  func stopped(_ outcome: Outcome, _ met: FileFaults.Tally, _ expected: Expectation) -> Bool {
    guard met.faults > 0, case .failed(let code, _) = outcome else { return false }
    return expected != .fails(code)
  }
}
