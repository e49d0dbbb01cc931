import Foundation
import PropertyLists

/// The archive of a mapping model: a `.cdm` file.
///
/// ```swift
/// let mapping = try MappingArchive.decode(bytes)
/// for entity in mapping.entityMappings { print(entity.name ?? "") }
/// let again = try MappingArchive.encode(mapping)
/// ```
public enum MappingArchive {
  /// Decodes a mapping model from its archive.
  ///
  /// - Parameters:
  ///   - bytes: The archive, binary or XML.
  ///   - limits: The limits above which an archive is refused.
  /// - Throws: `ArchiveError` naming the object and key at fault.
  public static func decode(
    _ bytes: [UInt8], limits: ArchiveLimits = .default
  ) throws(ArchiveError) -> NSMappingModel {
    let archive = try KeyedArchive(bytes, limits: limits)
    return try archive.list.withScanner { scanner throws(ArchiveError) in
      try MappingDecoder(archive, scanner).decode()
    }
  }

  /// Decodes an archive whose root is an expression, as found in mapping model sources.
  ///
  /// - Throws: ``ArchiveError`` naming the object and key at fault.
  package static func decodeExpression(
    _ bytes: [UInt8], limits: ArchiveLimits = .default
  ) throws(ArchiveError) -> DataModels.NSExpression {
    let archive = try KeyedArchive(bytes, limits: limits)
    guard let root = archive.topReference(), root != 0 else {
      throw ArchiveError(.valueNotFound, "the archive has no root object", key: "root")
    }
    return try archive.list.withScanner { scanner throws(ArchiveError) in
      try ModelDecoder(archive, scanner).expressionDescription(root)
    }
  }

  /// Archives a mapping model, byte for byte as Apple's mapping compiler does.
  ///
  /// - Parameters:
  ///   - mapping: A mapping model.
  ///   - vintage: The vintage of the archive's bytes. Default: that of the file that was read.
  /// - Throws: `ArchiveError` when the model can't be archived, for example because an expression has a block.
  public static func encode(
    _ mapping: NSMappingModel, vintage: ModelArchiveOptions.Vintage = .kept
  ) throws(ArchiveError) -> [UInt8] {
    let model = NSManagedObjectModel()
    model.compilerVintage = mapping.compilerVintage
    return try ModelEncoder(
      model, options: ModelArchiveOptions(stamp: .omitted, vintage: vintage)
    ).encode(mapping)
  }
}

/// The keys of mapping models, in encoding order.
enum MappingKey {
  static let entityMappings = "NSEntityMappings"
  static let entityMappingsByName = "NSEntityMappingsByName"

  static let name = "NSMappingName"
  static let type = "NSMappingType"
  static let sourceName = "NSSourceEntityName"
  static let sourceHash = "NSSourceEntityVersionHash"
  static let destinationName = "NSDestinationEntityName"
  static let destinationHash = "NSDestinationEntityVersionHash"
  static let sourceExpression = "NSSourceExpression"
  static let userInfo = "NSUserInfo"
  static let policy = "NSEntityMigrationPolicyClassName"
  static let attributes = "NSAttributeMappings"
  static let relationships = "NSRelationshipMappings"

  static let propertyName = "NSDestinationPropertyName"
  static let valueExpression = "NSValueExpression"
  static let transforms = "NSPropertyTransforms"

  /// The known keys of each kind of object.
  static let ofModel: Set<String> = ["$class", entityMappings, entityMappingsByName]
  static let ofEntity: Set<String> = [
    "$class", name, type, sourceName, sourceHash, destinationName, destinationHash,
    sourceExpression, userInfo, policy, attributes, relationships,
  ]
  static let ofProperty: Set<String> = ["$class", propertyName, valueExpression, userInfo]
}
