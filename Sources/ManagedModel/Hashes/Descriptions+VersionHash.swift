import Foundation

extension NSPropertyDescription {
  /// The hash of those settings of the property that change the layout of a store: 32 bytes.
  public final var versionHash: Data {
    guard self is NSRelationshipDescription, let owner else {
      return Data(PropertyHash.digest(of: self).bytes)
    }
    let topmost = owner.ancestry.dropFirst().reversed().lazy.compactMap { entity in
      entity.ownPropertyList.first { $0.storedName == self.storedName }
    }.first
    return Data(PropertyHash.digest(of: self, topmost: topmost).bytes)
  }
}

extension NSEntityDescription {
  /// The hash of what makes up the entity's rows in a store: 32 bytes.
  ///
  /// Two versions of an entity with the same hash need no migration. The name, the properties
  /// (inherited ones too), the superentity, the hash modifier and the uniqueness constraints are
  /// part of it; the class, user info, indexes and renaming identifier are not.
  ///
  /// Empty when the hierarchy is a circle, which ``NSManagedObjectModel/validate()`` reports.
  public final var versionHash: Data {
    guard isFrozen else { return computedVersionHash }
    return table(\.versionHash) { computedVersionHash }
  }

  private var computedVersionHash: Data {
    var hasher = EntityHasher()
    return (try? hasher.digest(of: self)).map { Data($0.bytes) } ?? Data()
  }
}
