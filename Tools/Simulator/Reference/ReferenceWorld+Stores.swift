/// Which state of the stores is read, and operations on whole stores.
extension ReferenceWorld {
  mutating func pin(_ c: Int) throws {
    guard contexts[c].plan.parent == nil else {
      throw Undecided(impossible: "a child is never pinned")
    }
    guard contexts[c].plan.watches.isEmpty else {
      throw Undecided("when a controller reads, which begins the state")
    }
    contexts[c].generation = .next
  }

  /// The state of the files that a context reads.
  mutating func read(_ c: Int) -> ReferenceStore {
    switch contexts[c].generation {
    case .newest: return store
    case .next:
      contexts[c].generation = .pinned(store)
      return store
    case .pinned(let pinned): return pinned
    }
  }

  /// Lets a pinned context move to the current state.
  mutating func advance(_ c: Int) {
    if case .pinned = contexts[c].generation { contexts[c].generation = .next }
  }

  mutating func reopen(_ c: Int) throws {
    let coordinator = contexts[c].plan.coordinator
    metadata.set = metadata.saved
    for other in contexts.indices where contexts[other].plan.coordinator == coordinator {
      (contexts[other].objects, contexts[other].undo) = ([:], UndoState())
      contexts[other].lastSave = nil
      guard contexts[other].generation == .newest else { throw Undecided("a pinned context") }
    }
  }
}

/// Which state of the files is read.
enum Generation: Equatable {
  case newest
  /// The state at the next read.
  case next
  case pinned(ReferenceStore)
}
