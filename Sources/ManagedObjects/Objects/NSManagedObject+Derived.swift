extension NSManagedObject {
  /// Takes a value that the store computed, as if the row had been read with it.
  final func takeStoreValue(_ value: StoredValue, of property: PropertyLayout) {
    if values.indices.contains(property.slot) { values[property.slot] = value }
    if committed.indices.contains(property.slot) { committed[property.slot] = value }
  }
}
