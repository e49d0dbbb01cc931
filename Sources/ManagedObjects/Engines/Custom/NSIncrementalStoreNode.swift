import DataModels
import Foundation

/// The values of one row of an incremental store.
open class NSIncrementalStoreNode: NSObject, @unchecked Sendable {
  // Sendable: used in the coordinator's turn of its stores alone.

  /// The row's identity.
  public final let objectID: NSManagedObjectID
  /// The row's version: it grows with each change, and tells that somebody else changed the row.
  public internal(set) final var version: UInt64
  private final var values: [String: Any]

  /// Makes a node.
  ///
  /// - Parameters:
  ///   - objectID: the identity of the row.
  ///   - values: the attributes' values, and the identities of to-one relationships, by name.
  ///     Relationships that are left out are asked for when they are needed.
  ///   - version: how often the row was saved; a save notices by it that others changed the row.
  public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
    self.objectID = objectID
    self.values = values
    self.version = version
  }

  /// Replaces the values and the version.
  open func update(withValues values: [String: Any], version: UInt64) {
    self.values = values
    self.version = version
  }

  /// The value of a property: an identity for a to-one relationship, `NSNull` for one that leads
  /// nowhere; nil for what the node doesn't have.
  open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
