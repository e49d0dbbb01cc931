/// How the objects of an entity get from a source store to a destination store.
public enum NSEntityMappingType: UInt, Sendable, CaseIterable {
  /// The developer handles everything.
  case undefinedEntityMappingType = 0
  /// A migration policy makes the destination objects.
  case customEntityMappingType = 1
  /// The entity is new; nothing is carried over.
  case addEntityMappingType = 2
  /// The entity is gone; its objects are not carried over.
  case removeEntityMappingType = 3
  /// The entity is the same in both models; its objects are copied.
  case copyEntityMappingType = 4
  /// The entity differs; its objects are made anew from the old ones.
  case transformEntityMappingType = 5
}
