import DataModels
import Foundation

/// The values of one row of an incremental store.
///
/// ```swift
/// override func newValuesForObject(
///   with objectID: NSManagedObjectID, with context: NSManagedObjectContext
/// ) throws -> NSIncrementalStoreNode {
///   let note = try find(referenceObject(for: objectID))
///   return NSIncrementalStoreNode(
///     objectID: objectID, withValues: ["text": note.text], version: note.version)
/// }
/// ```
open class NSIncrementalStoreNode: NSObject, @unchecked Sendable {
  // Sendable: used only while the coordinator calls its stores, which it serializes.

  /// The row's ID.
  public final let objectID: NSManagedObjectID
  /// The row's version. It grows with each change, so a save can detect changes by other writers.
  public internal(set) final var version: UInt64
  private final var values: [String: Any]

  /// Creates a node.
  ///
  /// - Parameters:
  ///   - objectID: the row's ID.
  ///   - values: the attributes' values, and the object IDs of to-one relationships, by name. Relationships that are
  ///     left out are requested when needed.
  ///   - version: the number of times the row was saved, by which a save detects changes by other writers.
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

  /// The value of a property: an object ID for a to-one relationship, `NSNull` for one without a destination; nil for
  /// a property that the node doesn't have.
  open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
