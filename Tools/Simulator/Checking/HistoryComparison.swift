import MomKit

/// Compares the persistent history of a step with the changes of the reference's rows.
struct HistoryComparison {
  private let stack: Stack
  private let step: Int

  init(_ stack: Stack, _ step: Int) {
    self.stack = stack
    self.step = step
  }

  /// The changes in the history since the previous read.
  private struct Account {
    var inserted: Set<ObjectName> = []
    var updated: [ObjectName: Set<String>] = [:]
    var deleted: Set<ObjectName> = []
    var transactionCount = 0
  }

  /// - Parameter isSave: whether the step saved objects; then history lists the properties that differ. A batch lists
  ///   those that it sets.
  func compare(_ before: ReferenceStore, _ after: ReferenceStore, isSave: Bool) -> Failure? {
    guard stack.setup.keepsHistory else { return nil }
    let account: Account
    do { account = try read() } catch {
      return Failure(kind: "history: error", step: step, text: "\(error)")
    }
    let there = Set(before.rows.keys)
    let now = Set(after.rows.keys)
    if account.inserted.subtracting(account.deleted) != now.subtracting(there) {
      return failure("insertions", now.subtracting(there), account.inserted)
    }
    if account.deleted != there.subtracting(now).union(account.inserted.subtracting(now)) {
      return failure("deletions", there.subtracting(now), account.deleted)
    }
    for name in there.intersection(now).sorted() {
      guard let old = before.rows[name], let new = after.rows[name] else { continue }
      let told = account.updated[name] ?? []
      let differing = Self.differences(old, new)
      if !differing.isSubset(of: told) { return failure("updates of \(name)", differing, told) }
      // Several transactions may have changed a value and changed it back.
      guard isSave, account.transactionCount == 1 else { continue }
      let attributes = stack.plan.attributes(of: new.entity).filter {
        $0.kind != .transformable && $0.counted == nil && told.contains($0.name)
      }
      let excess = Set(attributes.map(\.name)).subtracting(differing)
      if !excess.isEmpty { return failure("columns of \(name)", differing, told) }
    }
    return nil
  }

  private static func differences(_ old: StoredRow, _ new: StoredRow) -> Set<String> {
    let attributes = Set(old.attributes.keys).union(new.attributes.keys)
      .filter { old.attributes[$0] != new.attributes[$0] }
    let toOnes = Set(old.toOnes.keys).union(new.toOnes.keys)
      .filter { old.toOnes[$0] != new.toOnes[$0] }
    return attributes.union(toOnes)
  }

  private func read() throws -> Account {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = stack.coordinators.last
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: stack.historyToken)
    request.resultType = .transactionsAndChanges
    let result = try context.execute(request) as? NSPersistentHistoryResult
    let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
    stack.historyToken = stack.coordinators.last?.currentPersistentHistoryToken(fromStores: nil)
    var account = Account()
    account.transactionCount = transactions.count
    for change in transactions.flatMap({ $0.changes ?? [] }) {
      guard let name = stack.names[change.changedObjectID.uriRepresentation()] else { continue }
      switch change.changeType {
      case .insert: account.inserted.insert(name)
      case .update:
        account.updated[name, default: []].formUnion(change.updatedProperties?.map(\.name) ?? [])
      case .delete: account.deleted.insert(name)
      @unknown default: break
      }
    }
    return account
  }

  private func failure(
    _ kind: String, _ expected: some Sequence<some Any>, _ actual: some Sequence<some Any>
  ) -> Failure {
    func text(_ list: some Sequence<some Any>) -> String {
      list.map { "\($0)" }.sorted().joined(separator: ", ")
    }
    return Failure(
      kind: "history: \(kind.prefix { $0 != " " })", step: step,
      text: "expected \(kind): \(text(expected))\nactual   \(kind): \(text(actual))")
  }
}
