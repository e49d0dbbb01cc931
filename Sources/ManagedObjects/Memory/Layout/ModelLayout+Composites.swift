import DataModels

extension ModelLayout {
  /// Throws if a composite can't be stored, because its elements have no end or nest too deep.
  func requireListableComposites() throws {
    for entity in entities {
      for property in entity.values where property.attributeType == .compositeAttributeType {
        guard let composite = property.description as? NSCompositeAttributeDescription,
          !composite.hasListableElements
        else { continue }
        throw CoreDataError.make(
          NSPersistentStoreIncompatibleSchemaError,
          "\(entity.name).\(property.name): the composite contains itself, is nested too deep, or has too many "
            + "elements.")
      }
    }
  }
}
