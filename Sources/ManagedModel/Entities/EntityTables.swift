import Foundation

/// What an entity looks up by name: made when first asked for, and kept.
struct EntityTables: Sendable {
  /// The ``StructureClock``'s time when the tables were made.
  var time: UInt64
  var properties: [NSPropertyDescription]?
  var propertiesByName: [String: NSPropertyDescription]?
  var attributesByName: [String: NSAttributeDescription]?
  var relationshipsByName: [String: NSRelationshipDescription]?
  var subentitiesByName: [String: NSEntityDescription]?
  /// The version hash; of frozen entities only, since any setting may change it.
  var versionHash: Data?
}
