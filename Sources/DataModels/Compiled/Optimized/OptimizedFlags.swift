extension OptimizedProperty {
  /// The record's flags in the form descriptions have them.
  var propertyFlags: PropertyFlags {
    var result: PropertyFlags = []
    if flags & Flag.readOnly != 0 { result.insert(.readOnly) }
    if flags & Flag.transient != 0 { result.insert(.transient) }
    if flags & Flag.optional != 0 { result.insert(.optional) }
    if flags & Flag.indexed != 0 { result.insert(.indexed) }
    if flags & Flag.ordered != 0 { result.insert(.ordered) }
    // The classes themselves make these what they are; the record doesn't say it again.
    if kind == .derived || kind == .fetched { result.insert(.readOnly) }
    if kind == .fetched { result.insert(.transient) }
    return result.union(PropertyFlags(attributeWord: Int(attributeFlags)))
  }
}

extension OptimizedRequest {
  /// What the request gives: three bits of the flags.
  var resultType: NSFetchRequestResultType {
    NSFetchRequestResultType(rawValue: UInt(flags >> 3 & 7))
  }

  /// The yes-or-no settings, in the order archives have them.
  var requestFlags: FetchRequestFlags {
    var result: FetchRequestFlags = []
    if flags & 0x01 != 0 { result.insert(.returnsDistinctResults) }
    if flags & 0x02 != 0 { result.insert(.includesSubentities) }
    if flags & 0x04 != 0 { result.insert(.includesPropertyValues) }
    if flags & 0x40 != 0 { result.insert(.returnsObjectsAsFaults) }
    // Dictionaries never take pending changes in, whatever the bit says.
    if flags & 0x80 == 0, resultType != .dictionaryResultType {
      result.insert(.includesPendingChanges)
    }
    if flags & 0x400 != 0 { result.insert(.refreshesRefetchedObjects) }
    if flags & 0x1000 != 0 { result.insert(.omitsStoreResultCache) }
    return result
  }
}
