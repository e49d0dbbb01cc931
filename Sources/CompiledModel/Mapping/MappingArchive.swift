import Foundation
import KeyedArchive
import ManagedModel

/// The archive that holds a mapping model: a `.cdm` file.
///
/// ```swift
/// let mapping = try MappingArchive.decode(bytes)
/// for entity in mapping.entityMappings { print(entity.name ?? "") }
/// let again = try MappingArchive.encode(mapping)
/// ```
public enum MappingArchive {
  /// Makes a mapping model of its archive.
  ///
  /// - Parameters:
  ///   - bytes: The archive, binary or XML.
  ///   - limits: What to refuse as too large or too deep.
  /// - Throws: ``ArchiveError`` that names the object and key at fault.
  public static func decode(
    _ bytes: [UInt8], limits: ArchiveLimits = .default
  ) throws(ArchiveError) -> NSMappingModel {
    let archive = try KeyedArchive(bytes, limits: limits)
    return try archive.list.withScanner { scanner throws(ArchiveError) in
      try MappingDecoder(archive, scanner).decode()
    }
  }

  /// Archives a mapping model, in the order in which Apple's mapping compiler writes it.
  ///
  /// - Throws: ``ArchiveError`` when something in it can't be archived, such as an expression with a
  ///   block.
  public static func encode(_ mapping: NSMappingModel) throws(ArchiveError) -> [UInt8] {
    try ModelEncoder(NSManagedObjectModel(), options: ModelArchiveOptions(stamp: .omitted))
      .encode(mapping)
  }
}

/// The keys of mapping models, in the order in which they are written.
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
}
