import Foundation

/// A state of a coordinator's stores that a context can keep reading while others write.
///
/// ```swift
/// try context.setQueryGenerationFrom(.current)
/// let people = try context.fetch(request)  // from now on, the stores as they are here
/// ```
///
/// The state is held by an open read transaction on every SQLite store in WAL mode; such a store can't checkpoint its
/// WAL file completely meanwhile. Other stores don't support generations: a context reads their current contents.
public final class NSQueryGenerationToken: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: immutable.
  let generation: QueryGeneration?

  init(_ generation: QueryGeneration?) { self.generation = generation }

  /// The state at a context's next read.
  public static let current = NSQueryGenerationToken(nil)

  /// Returns the token itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A snapshot of the stores at one time.
final class QueryGeneration: @unchecked Sendable {
  private let readers: [ObjectIdentifier: any StoreEngine]

  /// Captures the current state of the stores that support it.
  init(of coordinator: NSPersistentStoreCoordinator) throws {
    readers = try coordinator.locked {
      var readers: [ObjectIdentifier: any StoreEngine] = [:]
      for store in coordinator.persistentStores {
        readers[ObjectIdentifier(store.reference)] = try store.requireEngine().generation()
      }
      return readers
    }
  }

  /// The engine that reads a store's snapshot; nil for a store without generations.
  func reader(of store: NSPersistentStore) -> (any StoreEngine)? {
    readers[ObjectIdentifier(store.reference)]
  }
}

/// The query generation that a context reads.
enum GenerationChoice {
  /// Always the current state.
  case unpinned
  /// The state at the next read.
  case next
  case pinned(NSQueryGenerationToken)
}

/// What a context reads of its coordinator's stores.
final class ContextReadState {
  // Not Sendable: used on the context's queue.

  /// The query generation.
  var generation = GenerationChoice.unpinned
  /// The stores at the last request.
  var stores: KnownStores?
}

extension NSManagedObjectContext {
  final var generationChoice: GenerationChoice {
    get { readState.generation }
    set { readState.generation = newValue }
  }

  /// The implementation of ``queryGenerationToken``.
  final var chosenGeneration: NSQueryGenerationToken? {
    switch generationChoice {
    case .unpinned: nil
    case .next: .current
    case .pinned(let token): token
    }
  }

  /// The implementation of ``setQueryGenerationFrom(_:)``.
  final func pin(to generation: NSQueryGenerationToken?) {
    checkQueue()
    precondition(
      parent == nil,
      "-[NSManagedObjectContext setQueryGenerationFromToken:error:]: a context with a parent reads "
        + "what its parent has")
    switch generation {
    case nil: generationChoice = .unpinned
    case let token? where token.generation == nil: generationChoice = .next
    case let token?: generationChoice = .pinned(token)
    }
  }

  /// The generation to read; pins the context if it is to be pinned at the next read.
  final func presentGeneration(
    _ coordinator: NSPersistentStoreCoordinator
  ) -> QueryGeneration? {
    switch generationChoice {
    case .unpinned: return nil
    case .pinned(let token): return token.generation
    case .next:
      guard let generation = try? QueryGeneration(of: coordinator) else { return nil }
      generationChoice = .pinned(NSQueryGenerationToken(generation))
      return generation
    }
  }

  /// Reads the stores' current state, whichever the context reads otherwise.
  final func readingNewest<Result>(_ body: () throws -> Result) rethrows -> Result {
    let choice = generationChoice
    defer { generationChoice = choice }
    generationChoice = .unpinned
    return try body()
  }

  /// Advances a pinned context to the state at the next read.
  final func advanceGeneration() {
    if case .pinned = generationChoice { generationChoice = .next }
  }
}
