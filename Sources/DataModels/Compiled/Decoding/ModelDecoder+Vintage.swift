import PropertyLists

extension ModelDecoder {
  /// The vintage of the compiler that wrote the archive, by the traits of its bytes.
  ///
  /// - Parameter entities: The number of the dictionary of entities, or of another mutable one.
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

  /// Whether some entity's properties stand in the order of a dictionary copied once more, and in
  /// no other.
  private var copiesMembers: Bool {
    let (plain, copied) = (MomcDictionaryOrder(), MomcDictionaryOrder(copiesMembers: true))
    for entity in model.storedEntities {
      let properties = entity.ownPropertyList
      guard plain.properties(properties) != Array(properties.indices) else { continue }
      return copied.properties(properties) == Array(properties.indices)
    }
    // Where the orders are the same, indexes tell: the oldest compilers had no such objects.
    return model.storedEntities.allSatisfy(\.indexes.isEmpty)
      && model.storedEntities.contains { entity in
        entity.ownPropertyList.contains { $0.flags.contains(.indexed) }
      }
  }
}
