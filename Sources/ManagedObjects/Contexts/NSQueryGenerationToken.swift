import Foundation

/// A state of a coordinator's stores that a context can keep reading, whatever others write.
///
/// ```swift
/// try context.setQueryGenerationFrom(.current)
/// let people = try context.fetch(request)  // from now on, the stores as they are here
/// ```
///
/// The state is kept by an open transaction on every SQLite store in WAL mode; such a store can't
/// empty its WAL file meanwhile. Other stores have no states to keep: a context reads what they have.
public final class NSQueryGenerationToken: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: never changed once it is made.
  let generation: QueryGeneration?

  init(_ generation: QueryGeneration?) { self.generation = generation }

  /// The state when a context next reads.
  public static let current = NSQueryGenerationToken(nil)

  /// Itself: a token never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Stores as they were at one time.
final class QueryGeneration: @unchecked Sendable {
  private let readers: [ObjectIdentifier: any StoreEngine]

  /// Keeps the present state of the stores that can.
  init(of coordinator: NSPersistentStoreCoordinator) throws {
    readers = try coordinator.locked {
      var readers: [ObjectIdentifier: any StoreEngine] = [:]
      for store in coordinator.persistentStores {
        readers[ObjectIdentifier(store.reference)] = try store.requireEngine().generation()
      }
      return readers
    }
  }

  /// What reads a store as it was; nil for a store without states.
  func reader(of store: NSPersistentStore) -> (any StoreEngine)? {
    readers[ObjectIdentifier(store.reference)]
  }
}

/// Which state of the stores a context reads.
enum GenerationChoice {
  /// The present one, always.
  case unpinned
  /// The one there is at the next reading.
  case next
  case pinned(NSQueryGenerationToken)
}

extension NSManagedObjectContext {
  /// The state of the stores that the context reads: nil for the present one, as in a new context
  /// and in one with a parent.
  public final var queryGenerationToken: NSQueryGenerationToken? {
    switch generationChoice {
    case .unpinned: nil
    case .next: .current
    case .pinned(let token): token
    }
  }

  /// Has the context read one state of the stores from its next reading on.
  ///
  /// Objects that are there keep their values until they are refreshed. A save, a reset and merging
  /// other contexts' changes take the context to the state there is then. What is saved is checked
  /// against the present state, and conflicts go to the merge policy.
  ///
  /// - Parameter generation: ``NSQueryGenerationToken/current``, another context's token, or nil for
  ///   reading the present state again.
  /// - Throws: what a store throws.
  public final func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
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

  /// The state that is read, kept from now on if it is the next one.
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

  /// Goes to the state there is at the next reading.
  final func advanceGeneration() {
    if case .pinned = generationChoice { generationChoice = .next }
  }
}
