import MomKit

/// The cache's model, created in code.
enum CacheModel {
  /// - Parameters:
  ///   - withHosts: whether files belong to hosts.
  ///   - withRatings: whether files have a rating, which is a newer version that stores are migrated to.
  static func make(withHosts: Bool = false, withRatings: Bool = false) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    let file = cachedFile()
    if withRatings { file.properties.append(attribute("rating", .integer16AttributeType)) }
    model.entities = [file]
    guard withHosts else { return model }

    let host = NSEntityDescription()
    host.name = "Host"
    host.managedObjectClassName = "Host"
    let files = NSRelationshipDescription()
    let owner = NSRelationshipDescription()
    files.name = "files"
    files.destinationEntity = file
    files.minCount = 0
    files.maxCount = 0
    files.deleteRule = .cascadeDeleteRule
    files.inverseRelationship = owner
    owner.name = "host"
    owner.destinationEntity = host
    owner.minCount = 0
    owner.maxCount = 1
    owner.deleteRule = .nullifyDeleteRule
    owner.inverseRelationship = files
    host.properties = [attribute("name", .stringAttributeType, isOptional: false), files]
    file.properties.append(owner)
    model.entities = [file, host]
    return model
  }

  private static func cachedFile() -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = "DTCachedFile"
    entity.managedObjectClassName = "DTCachedFile"

    let remoteURL = attribute("remoteURL", .stringAttributeType, isOptional: false)
    remoteURL.isIndexed = true
    let fileData = attribute("fileData", .binaryDataAttributeType, isOptional: false)
    fileData.allowsExternalBinaryDataStorage = true
    entity.properties = [
      remoteURL, fileData,
      attribute("lastAccessDate", .dateAttributeType, isOptional: false),
      attribute("expirationDate", .dateAttributeType, isOptional: false),
      attribute("contentType", .stringAttributeType),
      attribute("entityTagIdentifier", .stringAttributeType),
      attribute("fileSize", .integer32AttributeType, isOptional: false),
    ]
    return entity
  }

  private static func attribute(
    _ name: String, _ type: NSAttributeType, isOptional: Bool = true
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = isOptional
    return attribute
  }
}
