/// Compares what contexts posted with what the reference says changed.
///
/// It remembers what was told since an event ended that it could compare, as several notifications may tell of
/// one.
struct NoticeComparison {
  private struct Account {
    /// The objects when an event last ended.
    var objects: [ObjectName: ReferenceObject] = [:]
    /// What was told since then, and since the last save.
    var event: [Notice.Part: Set<ObjectName>] = [:]
    var inserted: Set<ObjectName> = []
    var deleted: Set<ObjectName> = []
    /// Whether changes were dropped since, or came from elsewhere: then it begins anew with the next event.
    var isOpen = false
  }

  private var accounts: [Int: Account] = [:]

  /// Passes over what was posted in a step that met a fault.
  mutating func begin(after notices: [Int: [Notice]]) {
    for c in Set(notices.keys).union(accounts.keys) {
      accounts[c, default: Account()].isOpen = true
    }
  }

  /// Takes in what was posted while a step was done, and compares it.
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
        ? saving(told, after.contexts[c], isFull: isFull, isDone: isDone)
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

  /// One notification before a save, and two after it, which tell what was saved: nothing, if there was nothing.
  private func saving(
    _ notices: [Notice], _ after: ReferenceContext, isFull: Bool?, isDone: Bool
  ) -> String? {
    guard let isFull else { return nil }
    let told = notices.filter { $0.kind != .didChange }
    // After an undo objects may count as changed that are as they were.
    if !isFull || told.isEmpty, after.plan.undoes { return nil }
    let expected: [Notice.Kind] = isDone ? [.willSave, .didSave, .savedIdentities] : [.willSave]
    guard told.map(\.kind) == expected else { return "saved: posted \(told.map(\.kind))" }
    guard isDone, let saved = after.lastSave else { return nil }
    let lists: [(Notice.Part, [ObjectName])] = [
      (.inserted, saved.inserted), (.updated, saved.updated), (.deleted, saved.deleted),
    ]
    for notice in told.dropFirst() where !notice.hasStrangers {
      for (part, names) in lists where notice[part] != Set(names) {
        // After an undo objects may count as changed that are as they were.
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
      // After other things happened, and when a policy drops changes, more is told than can be told here.
      let isOwn =
        operation.context == c && operation.isPlain && !notice.hasStrangers && !account.isOpen
        && (!operation.isSave || context.plan.policy == .error)
      if isOwn, let problem = excess(notice, account, saved, before.contexts[c], context) {
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
    // A policy that resolves conflicts gives objects other values in the middle of a save.
    let isSettled = !operation.isSave || context.plan.policy == .error
    return lack(account, saved, before.contexts[c], context, seesValues: isSettled)
  }

  /// What was told of that didn't happen.
  private func excess(
    _ notice: Notice, _ account: Account, _ saved: SavedNames?, _ before: ReferenceContext,
    _ after: ReferenceContext
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

  /// What happened that wasn't told of.
  private func lack(
    _ account: Account, _ saved: SavedNames?, _ before: ReferenceContext,
    _ context: ReferenceContext, seesValues: Bool
  ) -> String? {
    let inserted = saved?.inserted ?? context.names { $0.isInserted && !$0.isDeleted }
    // What somebody deleted and this context saves again was told of as changed.
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

extension ReferenceObject {
  /// Whether its own values differ.
  fileprivate func differs(from other: ReferenceObject) -> Bool {
    attributes != other.attributes || toOnes != other.toOnes
  }
}

extension Operation {
  /// Whether what is told in it is just what its context changed.
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

  /// Whether it drops changes of a context, or brings it some from elsewhere.
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
