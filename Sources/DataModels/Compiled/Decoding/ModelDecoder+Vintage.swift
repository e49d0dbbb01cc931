import PropertyLists

extension ModelDecoder {
  /// The vintage of the compiler that wrote the archive, determined from traits of its bytes.
  ///
  /// - Parameter entities: The number of the dictionary of entities, or of another mutable dictionary.
  func vintage(entities: Int) -> CompilerVintage {
    let keys = archive.ownKeys
    if keys.first == "$top" { return archive.repeatsNumbers ? .xcode6 : .xcode7 }
    let sharesNames = archive.sharesClassName(ofObject: entities)
    if keys.starts(with: ["$version", "$objects"]) {
      guard sharesNames else { return .xcode9 }
      return copiesMembers ? .xcode8 : .xcode11
    }
    return sharesNames ? .modern : .xcode12
  }

  /// Whether the properties of an entity are in the order of a dictionary that was copied once more, and not in the
  /// plain order.
  private var copiesMembers: Bool {
    let (plain, copied) = (MomcDictionaryOrder(), MomcDictionaryOrder(copiesMembers: true))
    for entity in model.storedEntities {
      let properties = entity.ownPropertyList
      guard plain.properties(properties) != Array(properties.indices) else { continue }
      return copied.properties(properties) == Array(properties.indices)
    }
    // If the orders are the same, indexes decide: the oldest compilers had no index objects.
    return model.storedEntities.allSatisfy(\.indexes.isEmpty)
      && model.storedEntities.contains { entity in
        entity.ownPropertyList.contains { $0.flags.contains(.indexed) }
      }
  }
}
