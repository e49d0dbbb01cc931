extension OptimizedProperty {
  /// The record's flags as a description's flags.
  var propertyFlags: PropertyFlags {
    var result: PropertyFlags = []
    if flags & Flag.readOnly != 0 { result.insert(.readOnly) }
    if flags & Flag.transient != 0 { result.insert(.transient) }
    if flags & Flag.optional != 0 { result.insert(.optional) }
    if flags & Flag.indexed != 0 { result.insert(.indexed) }
    if flags & Flag.ordered != 0 { result.insert(.ordered) }
    // These flags are implied by the property's class and aren't stored in the record.
    if kind == .derived || kind == .fetched { result.insert(.readOnly) }
    if kind == .fetched { result.insert(.transient) }
    return result.union(PropertyFlags(attributeWord: Int(attributeFlags)))
  }
}

extension OptimizedRequest {
  /// The result type, from three bits of the flags.
  var resultType: NSFetchRequestResultType {
    NSFetchRequestResultType(rawValue: UInt(flags >> 3 & 7))
  }

  /// The Boolean settings, as in archives.
  var requestFlags: FetchRequestFlags {
    var result: FetchRequestFlags = []
    if flags & 0x01 != 0 { result.insert(.returnsDistinctResults) }
    if flags & 0x02 != 0 { result.insert(.includesSubentities) }
    if flags & 0x04 != 0 { result.insert(.includesPropertyValues) }
    if flags & 0x40 != 0 { result.insert(.returnsObjectsAsFaults) }
    // Requests for dictionaries never include pending changes, regardless of the bit.
    if flags & 0x80 == 0, resultType != .dictionaryResultType {
      result.insert(.includesPendingChanges)
    }
    if flags & 0x400 != 0 { result.insert(.refreshesRefetchedObjects) }
    if flags & 0x1000 != 0 { result.insert(.omitsStoreResultCache) }
    return result
  }
}
