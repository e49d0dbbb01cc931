/// Compares the notifications of contexts with the reference's changes.
///
/// It accumulates the notifications since the last event that it could compare, as one event may post several.
struct NoticeComparison {
  private struct Account {
    /// The objects at the end of the last event.
    var objects: [ObjectName: ReferenceObject] = [:]
    /// The changes posted since then, and the insertions and deletions since the last save.
    var event: [Notice.Part: Set<ObjectName>] = [:]
    var inserted: Set<ObjectName> = []
    var deleted: Set<ObjectName> = []
    /// Whether changes were dropped or merged since then, so that the comparison starts over with the next event.
    var isOpen = false
  }

  private var accounts: [Int: Account] = [:]

  /// Skips the notifications of a step with a fault.
  mutating func begin(after notices: [Int: [Notice]]) {
    for c in Set(notices.keys).union(accounts.keys) {
      accounts[c, default: Account()].isOpen = true
    }
  }

  /// Records the notifications of a step and compares them.
  mutating func compare(
    _ notices: [Int: [Notice]], _ operation: Operation, before: ReferenceWorld,
    after: ReferenceWorld, isDone: Bool, step: Int
  ) -> Failure? {
    let isFull = operation.isSave ? before.hasSomethingToSave(operation.context) : false
    for c in after.contexts.indices where !after.contexts[c].plan.isRemote {
      let told = notices[c] ?? []
      let isSaver = operation.isSave && operation.context == c
      let problem =
        isSaver
        ? saving(told, before, after, c, isFull: isFull, isDone: isDone)
        : told.contains { $0.kind != .didChange } ? "saved: context \(c) told of a save" : nil
      if let problem { return failure(problem, c, step) }
      if let problem = changing(told, operation, c, before, after, isFull: isFull) {
        return failure(problem, c, step)
      }
    }
    return nil
  }

  private func failure(_ problem: String, _ c: Int, _ step: Int) -> Failure {
    let kind = problem.prefix { $0 != ":" }
    return Failure(kind: "told: \(kind)", step: step, text: "context \(c): \(problem)")
  }

  // MARK: Saves

  /// Checks that a save posts one notification before and two after, with the saved objects; none if nothing was saved.
  private func saving(
    _ notices: [Notice], _ worldBefore: ReferenceWorld, _ world: ReferenceWorld, _ c: Int,
    isFull: Bool?, isDone: Bool
  ) -> String? {
    guard let isFull else { return nil }
    let after = world.contexts[c]
    let told = notices.filter { $0.kind != .didChange }
    // After an undo, unchanged objects may count as changed.
    if !isFull || told.isEmpty, after.plan.undoes { return nil }
    let expected: [Notice.Kind] = isDone ? [.willSave, .didSave, .savedIdentities] : [.willSave]
    guard told.map(\.kind) == expected else { return "saved: posted \(told.map(\.kind))" }
    guard isDone, let saved = after.lastSave else { return nil }
    let lists: [(Notice.Part, [ObjectName])] = [
      (.inserted, saved.inserted), (.updated, saved.updated), (.deleted, saved.deleted),
    ]
    // In which order a policy gives members to survivors decides which objects it touches without changing them.
    let touched = worldBefore.resolvesConflicts(c) ? world.unwritten(since: worldBefore) : []
    for notice in told.dropFirst() where !notice.hasStrangers {
      for (part, names) in lists
      where notice[part].symmetricDifference(names).subtracting(part == .updated ? touched : [])
        .isEmpty == false
      {
        // After an undo, unchanged objects may count as changed.
        if part == .updated, after.plan.undoes { continue }
        return "\(notice.kind): \(part) \(notice[part].sorted()), not \(names.sorted())"
      }
    }
    return nil
  }

  // MARK: Events

  private mutating func changing(
    _ notices: [Notice], _ operation: Operation, _ c: Int, _ before: ReferenceWorld,
    _ after: ReferenceWorld, isFull: Bool?
  ) -> String? {
    var account = accounts[c] ?? Account()
    defer { accounts[c] = account }
    let context = after.contexts[c]
    let isSaved = operation.context == c && isFull == true
    let saved = isSaved && !context.hasChanges ? context.lastSave : nil
    for notice in notices where notice.kind == .didChange {
      // After other events, and when a policy drops changes, a notification may contain more than the reference knows.
      let isOwn =
        operation.context == c && operation.isPlain && !notice.hasStrangers && !account.isOpen
        && (!operation.isSave || context.plan.policy == .error)
      if isOwn,
        let problem = excess(notice, account, saved, before.contexts[c], context, after.store.gone)
      {
        return problem
      }
      account.event.merge(notice.sets) { $0.union($1) }
      account.inserted.formUnion(notice[.inserted])
      account.deleted.formUnion(notice[.deleted])
    }
    let isVague = notices.contains(where: \.hasStrangers)
    if isVague || operation.disturbs(c, after) { account.isOpen = true }
    guard operation.context == c, operation.endsEvent else { return nil }
    defer {
      account.inserted = Set(context.names(\.isInserted))
      account.deleted = Set(context.names(\.isDeleted))
      (account.objects, account.event, account.isOpen) = (context.objects, [:], false)
    }
    let hasFailed = operation.isSave && context.hasChanges
    guard !hasFailed, !account.isOpen, !context.plan.undoes else { return nil }
    // A merge policy changes values in the middle of a save.
    let isSettled = !operation.isSave || context.plan.policy == .error
    return lack(account, saved, before.contexts[c], context, seesValues: isSettled)
  }

  /// Changes that were posted but didn't happen.
  private func excess(
    _ notice: Notice, _ account: Account, _ saved: SavedNames?, _ before: ReferenceContext,
    _ after: ReferenceContext, _ gone: Set<ObjectName>
  ) -> String? {
    let insertions = Set(after.names(\.isInserted) + before.names(\.isInserted))
      .union(saved?.inserted ?? [])
    if let name = notice[.inserted].subtracting(insertions).min() {
      return "inserted: object \(name), which wasn't"
    }
    if let name = notice[.inserted].intersection(account.inserted).min() {
      return "inserted: object \(name) a second time"
    }
    let deletions = Set(after.names(\.isDeleted) + before.names(\.isDeleted))
      .union(saved?.deleted ?? []).union(before.objects.keys.filter { after.objects[$0] == nil })
      // A fault that finds its row gone is told of as deleted.
      .union(gone)
    if let name = notice[.deleted].subtracting(deletions).min() {
      return "deleted: object \(name), which wasn't"
    }
    let updates = Set(after.names(\.hasChanges) + before.names(\.hasChanges))
      .union(saved?.updated ?? []).union(saved?.inserted ?? [])
    if let name = notice[.updated].subtracting(updates).min() {
      return "updated: object \(name), which wasn't"
    }
    return nil
  }

  /// Changes that happened but weren't posted.
  private func lack(
    _ account: Account, _ saved: SavedNames?, _ before: ReferenceContext,
    _ context: ReferenceContext, seesValues: Bool
  ) -> String? {
    let inserted = saved?.inserted ?? context.names { $0.isInserted && !$0.isDeleted }
    // An object that another context deleted and this one saves again was posted as updated.
    let isNew = { (name: ObjectName) in before.objects[name]?.isInserted != false }
    if let name = inserted.first(where: { isNew($0) && !account.inserted.contains($0) }) {
      return "inserted: nobody was told of object \(name)"
    }
    let deleted = saved?.deleted ?? context.names { $0.isDeleted && !$0.isGone }
    if let name = deleted.first(where: { !account.deleted.contains($0) }) {
      return "deleted: nobody was told of object \(name)"
    }
    guard seesValues else { return nil }
    for (name, now) in context.objects.sorted(by: { $0.key < $1.key }) where !now.isDeleted {
      guard let old = account.objects[name], !old.isFault, !now.isFault, !old.isDeleted,
        old.differs(from: now)
      else { continue }
      let parts: [Notice.Part] = [.inserted, .updated, .refreshed]
      guard parts.contains(where: { account.event[$0]?.contains(name) == true }) else {
        return "updated: nobody was told of object \(name)"
      }
    }
    return nil
  }
}

extension ReferenceWorld {
  /// The rows that are as they were.
  fileprivate func unwritten(since before: ReferenceWorld) -> Set<ObjectName> {
    Set(store.rows.filter { before.store.rows[$0.key] == $0.value }.keys)
  }
}

extension ReferenceObject {
  /// Whether attributes or to-one relationships differ.
  fileprivate func differs(from other: ReferenceObject) -> Bool {
    attributes != other.attributes || toOnes != other.toOnes
  }
}

extension Operation {
  /// Whether the operation's notifications contain exactly the context's own changes.
  fileprivate var isPlain: Bool {
    switch self {
    case .settle, .save, .look, .fetch, .existing: true
    default: false
    }
  }

  fileprivate var endsEvent: Bool {
    switch self {
    case .settle, .save: true
    default: false
    }
  }

  /// Whether the operation drops changes of a context, or merges changes into it.
  fileprivate func disturbs(_ c: Int, _ world: ReferenceWorld) -> Bool {
    switch self {
    case .reopen, .evolve, .batchInsert, .batchUpdate, .batchDelete: true
    case .rollback(c), .reset(c), .undo(c), .redo(c), .refreshAll(c), .refresh(c, _, _),
      .merge(_, into: c):
      true
    case .save(let other):
      other != c
        && (world.contexts[c].plan.mergesAutomatically || world.contexts[other].plan.parent == c)
    default: false
    }
  }
}
