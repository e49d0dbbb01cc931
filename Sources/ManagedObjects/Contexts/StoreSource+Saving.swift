import Foundation

/// Saving into one or several stores.
///
/// A save of several stores is atomic as far as stores allow. First, every store checks and writes its part in an
/// open transaction; all conflicts are collected, and any error rolls everything back. Then all stores commit. If one
/// store's commit fails after another's has succeeded, the latter can't be rolled back:
/// ``NSPersistentStoreIncompleteSaveError`` reports this, and the next save writes the rest.
///
/// SQLite can commit several files in one transaction, with `ATTACH`, but not in WAL mode, where a crash can still
/// leave some files committed and others not. So each store keeps its own connection.
extension StoreSource {
  /// The changes of one store.
  private struct Part {
    let store: NSPersistentStore
    let engine: any StoreEngine
    let changes: ChangedObjects
    /// The store's location, as text that defines a locking order.
    var place: String { store.url?.absoluteString ?? store.identifier }

    init(_ store: NSPersistentStore, _ changes: ChangedObjects) throws {
      self.store = store
      engine = try store.requireEngine()
      self.changes = changes
      guard !store.isReadOnly || !changes.writesRows else {
        throw CoreDataError.readOnly([store], changes.objects)
      }
    }

    func prepare() throws -> Prepared {
      if !engine.checksReferences { try store.reference.checkReferences(of: changes) }
      if let engine = engine as? any CustomStoreEngine {
        return Prepared(save: try engine.prepare(changes))
      }
      do {
        let rows = StoreChanges(changes)
        let claims = engine.keepsOneOwner ? MemberClaims(rows.members) : nil
        return Prepared(save: try engine.prepare(rows), claims: claims)
      } catch let conflicts as StoreConflicts {
        throw changes.conflicts(conflicts)
      }
    }

    func commit(_ prepared: Prepared) throws {
      if let outcome = try prepared.save.commit() {
        changes.follow(outcome, in: store.reference)
      }
      if let context = changes.context { prepared.claims?.releaseFormerOwners(in: context) }
    }
  }

  /// What a store has prepared.
  private struct Prepared {
    let save: any PreparedSave
    var claims: MemberClaims?
  }

  func save(_ changes: ChangedObjects, whenWritten: (SavedObjects) -> Void) throws {
    var written: [NSPersistentStore] = []
    // Observers of writes may save, or wait for another thread that needs the stores: they are told when the save is over.
    defer { changes.context?.writtenStores += written }
    try coordinator.locked {
      let parts = try parts(of: changes)
      if parts.count == 1 {
        try parts[0].commit(parts[0].prepare())
      } else {
        let failed = try save(parts)
        guard failed.isEmpty else {
          let saved = parts.filter { part in !failed.contains { $0.part.store === part.store } }
          written = saved.filter { !$0.changes.isEmpty }.map(\.store)
          whenWritten(
            SavedObjects(
              merged(changes, saved), isWhole: false, historyToken: historyToken(of: written)))
          throw incomplete(failed)
        }
      }
      written = parts.filter { !$0.changes.isEmpty }.map(\.store)
      whenWritten(SavedObjects(changes, historyToken: historyToken(of: written)))
    }
  }

  /// The end of the history of the stores just written; nil if none of them tracks history.
  private func historyToken(of stores: [NSPersistentStore]) -> NSPersistentHistoryToken? {
    let keepers = stores.filter(\.tracksHistory)
    return keepers.isEmpty ? nil : coordinator.currentPersistentHistoryToken(fromStores: keepers)
  }

  /// The parts of the stores that have changes.
  private func parts(of changes: ChangedObjects) throws -> [Part] {
    let stores = coordinator.persistentStores
    var parts: [Part] = []
    var count = 0
    for store in stores {
      let reference = store.reference
      let part = changes.keeping { $0.isIn(reference) }
      count += part.count
      guard
        try !part.isEmpty && (!store.isReadOnly || part.writesRows)
          || !store.isReadOnly && store.requireEngine().wantsSave(isEmpty: changes.isEmpty)
      else { continue }
      parts.append(try Part(store, part))
    }
    // An ID never refers to a store other than its own, even if another has a row with the same key.
    guard count == changes.count else { throw unplaced(changes, stores) }
    return parts
  }

  private func unplaced(_ changes: ChangedObjects, _ stores: [NSPersistentStore]) -> NSError {
    let objects = changes.objects.filter { object in !stores.contains { object.isIn($0.reference) }
    }
    let text =
      stores.isEmpty
      ? "This NSPersistentStoreCoordinator has no persistent stores.  It cannot perform a save operation."
      : "The stores of objects with changes were removed from the coordinator, or aren't its own; nothing "
        + "was saved. Roll back, or reset the context."
    return CoreDataError.make(
      NSPersistentStoreSaveError, text, userInfo: [NSAffectedObjectsErrorKey: objects])
  }

  /// Saves several parts, and returns those that failed after others had committed, each with its error.
  private func save(_ parts: [Part]) throws -> [(part: Part, error: any Error)] {
    var prepared: [(part: Part, save: Prepared)] = []
    var conflicts = SaveConflicts()
    do {
      // Stores are always locked in the same order, so that two programs can't deadlock.
      for part in parts.sorted(by: { $0.place < $1.place }) {
        do {
          prepared.append((part, try part.prepare()))
        } catch let others as SaveConflicts {
          conflicts.add(others)
        }
      }
      guard conflicts.isEmpty else { throw conflicts }
    } catch {
      for (_, prepared) in prepared { prepared.save.rollBack() }
      throw error
    }
    prepared.sort { $0.part.engine.commitTurn.rawValue < $1.part.engine.commitTurn.rawValue }
    var failed: [(part: Part, error: any Error)] = []
    for (index, (part, save)) in prepared.enumerated() {
      do { try part.commit(save) } catch {
        failed.append((part, error))
        guard index == 0 else { continue }
        for (_, prepared) in prepared.dropFirst() { prepared.save.rollBack() }
        throw error
      }
    }
    return failed
  }

  /// The changes in the parts that were saved.
  private func merged(_ changes: ChangedObjects, _ saved: [Part]) -> ChangedObjects {
    var done = ChangedObjects(
      contextName: changes.contextName, author: changes.author, context: changes.context)
    for part in saved {
      done.inserted += part.changes.inserted
      done.updated += part.changes.updated
      done.deleted += part.changes.deleted
      done.guarded += part.changes.guarded
    }
    return done
  }

  private func incomplete(_ failed: [(part: Part, error: any Error)]) -> NSError {
    CoreDataError.make(
      NSPersistentStoreIncompleteSaveError,
      "Some stores were saved, others weren't. The other changes are still pending; save again to write them.",
      userInfo: [
        NSAffectedStoresErrorKey: failed.map { $0.part.store },
        NSAffectedObjectsErrorKey: failed.flatMap { $0.part.changes.objects },
        NSDetailedErrorsKey: failed.map { $0.error },
        NSUnderlyingErrorKey: failed[0].error,
      ])
  }
}
