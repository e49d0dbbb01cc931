import Foundation

/// The permanent IDs of objects that obtained one before they were saved, and never were.
///
/// Stores assign keys consecutively, so a few key ranges cover very many such objects.
struct UnusedIdentities {
  private struct Table {
    /// Keeps the layouts of its rows' entities alive.
    let store: StoreReference
    let root: ObjectIdentifier
    var keys: IndexSet
  }

  private var tables: [Table] = []

  var isEmpty: Bool { tables.isEmpty }

  /// The number of key ranges.
  var rangeCount: Int { tables.reduce(0) { $0 + $1.keys.rangeView.count } }

  func contains(_ identity: NSManagedObjectID) -> Bool {
    guard let key = Self.key(of: identity), let index = index(of: identity) else { return false }
    return tables[index].keys.contains(key)
  }

  mutating func insert(_ identity: NSManagedObjectID) {
    guard let key = Self.key(of: identity), let store = identity.storeReference else { return }
    if let index = index(of: identity) {
      tables[index].keys.insert(key)
    } else {
      tables.append(
        Table(store: store, root: identity.layout.rootID, keys: IndexSet(integer: key)))
    }
  }

  mutating func remove(_ identity: NSManagedObjectID) {
    guard let key = Self.key(of: identity), let index = index(of: identity) else { return }
    tables[index].keys.remove(key)
    if tables[index].keys.isEmpty { tables.remove(at: index) }
  }

  private func index(of identity: NSManagedObjectID) -> Int? {
    tables.firstIndex {
      $0.store === identity.storeReference && $0.root == identity.layout.rootID
    }
  }

  /// Stores never reach keys that an `IndexSet` can't hold.
  private static func key(of identity: NSManagedObjectID) -> Int? {
    identity.key >= 0 && identity.key < Int.max - 1 ? Int(identity.key) : nil
  }
}
