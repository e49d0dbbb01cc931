import Foundation
import MomKit

/// How far a store is synchronized. It is kept in the store's metadata, and changes in the same transaction as the
/// objects.
struct SyncProgress: Codable {
  /// A push whose answer hasn't arrived.
  struct Pending: Codable {
    /// The identifier of the push's last request.
    var push: UUID
    /// The identifiers of the requests before it; nil if it is the only one.
    var earlier: [UUID]?
    /// The archived token of the history that was pushed.
    var end: Data
    /// Whether the server turned out to have saved it, and only its objects' revisions are missing.
    var isSaved = false
  }

  private static let key = "NotesSyncProgress"

  /// This store's name at the server.
  var client = UUID().uuidString
  /// The server's token up to which its changes are here.
  var pulled: String?
  /// The archived token of this store's own history up to which it was pushed.
  var pushed: Data?
  var pending: Pending?
  /// Objects of which a relationship leads to objects that the server hasn't told of yet. It will tell of both.
  var incomplete: Set<UUID> = []

  /// The progress of the coordinator's store; that of a new client if there is none.
  init(of coordinator: NSPersistentStoreCoordinator) throws {
    guard let store = coordinator.persistentStores.first,
      let data = coordinator.metadata(for: store)[Self.key] as? Data
    else { return }
    self = try PropertyListDecoder().decode(Self.self, from: data)
  }

  /// Sets the store's metadata, which the next save writes.
  func store(in coordinator: NSPersistentStoreCoordinator) throws {
    guard let store = coordinator.persistentStores.first else { return }
    var metadata = coordinator.metadata(for: store)
    metadata[Self.key] = try PropertyListEncoder().encode(self)
    coordinator.setMetadata(metadata, for: store)
  }
}

extension NSPersistentHistoryToken {
  var archived: Data {
    get throws {
      try NSKeyedArchiver.archivedData(withRootObject: self, requiringSecureCoding: true)
    }
  }

  static func unarchived(_ data: Data?) throws -> NSPersistentHistoryToken? {
    try data.flatMap {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: $0)
    }
  }
}
