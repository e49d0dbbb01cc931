import KeyedArchive

/// The texts of names that a model's objects refer to again and again, once they are in the archive.
struct NameLeaves {
  var ofEntities: [ArchiveIdentity?]
  var ofProperties: [ArchiveIdentity?]
  /// The value classes that belong to the types of attributes, by the hundreds of the types' numbers.
  var ofValueClasses = [ArchiveIdentity?](repeating: nil, count: 32)

  init(entities: Int, properties: Int) {
    ofEntities = Array(repeating: nil, count: entities)
    ofProperties = Array(repeating: nil, count: properties)
  }
}
