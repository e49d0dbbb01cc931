import Foundation
import OrderedCollections
import PredicateFormat
import PropertyLists

extension ModelDecoder {
  /// An entity's references to other objects, by object number.
  struct EntityLinks {
    var superentity: Int?
    var subentities: [Int] = []
    var properties: [(name: String, value: Int)] = []
  }

  /// Decodes an entity's own settings. Its links are made when all entities have been decoded.
  func decodeEntity(
    _ number: Int, named name: String, into entity: NSEntityDescription
  ) throws(ArchiveError) -> EntityLinks {
    var links = EntityLinks()
    var indexes: Int?
    var unknown: [PreservedContent.Field] = []
    try reader.forEachField(of: number) { field throws(ArchiveError) in
      switch field.key {
      case .entityName:
        let own = try reader.string(field, of: number)
        guard own == name else {
          throw ArchiveError(
            .invalidContent, "an entity listed as '\(name)' is called '\(own ?? "")'",
            object: number, key: ModelKey.entityName.text)
        }
      case .className: entity.storedClassName = try reader.string(field, of: number)
      case .isAbstract: entity.storedIsAbstract = try reader.boolean(field, of: number)
      case .model:
        // Third-party compilers leave it nil; any other value must be the model.
        if let model = try reader.reference(field, of: number), !isRoot(model) {
          throw ArchiveError(
            .invalidContent, "the entity '\(name)' belongs to another model", object: number,
            key: ModelKey.model.text)
        }
      case .superentity: links.superentity = try reader.reference(field, of: number)
      case .subentities:
        guard let dictionary = try reader.reference(field, of: number) else { return }
        links.subentities = try reader.entries(ofDictionary: dictionary, .subentities)
          .map(\.value)
      case .properties:
        guard let dictionary = try reader.reference(field, of: number) else { return }
        links.properties = try reader.entries(ofDictionary: dictionary, .properties)
      case .userInfo:
        guard let dictionary = try reader.reference(field, of: number) else { return }
        let info = try userInfo(dictionary)
        if !info.isEmpty { entity.extra.userInfo = info }
      case .versionHashModifier:
        guard let modifier = try reader.string(field, of: number) else { return }
        entity.extra.versionHashModifier = modifier
      case .renamingIdentifier:
        entity.setArchivedRenamingIdentifier(try reader.string(field, of: number))
      case .uniqueTuples:
        guard let tuples = try nameTuples(field, of: number), !tuples.isEmpty else { return }
        entity.extra.uniquenessConstraints = tuples
      case .compoundIndexes:
        guard let tuples = try nameTuples(field, of: number), !tuples.isEmpty else { return }
        entity.extra.compoundIndexes = tuples
      case .fetchIndexes: indexes = try reader.reference(field, of: number)
      case .spotlightDisplayName:
        guard let expression = try reader.reference(field, of: number) else { return }
        entity.extra.spotlightExpression = try expressionDescription(expression)
      default: unknown.append(unknownField(field))
      }
    }
    if let indexes {
      indexListCount += 1
      let members = try reader.members(ofCollection: indexes, .fetchIndexes)
      var decoded: [NSFetchIndexDescription] = []
      for member in members { decoded.append(try fetchIndex(member, of: number)) }
      entity.setIndexesUnchecked(decoded)
    }
    entity.preserved = preserved(unknown, try reader.type(of: number))
    return links
  }

  /// Decodes lists of names: uniqueness constraints, and the older form of indexes.
  ///
  /// Run-time models may contain the properties themselves instead of their names.
  private func nameTuples(
    _ field: ArchiveFieldReader.Field, of number: Int
  ) throws(ArchiveError) -> [[String]]? {
    guard let list = try reader.reference(field, of: number) else { return nil }
    let key = field.key ?? .uniqueTuples
    var tuples: [[String]] = []
    for tuple in try reader.members(ofCollection: list, key) {
      var names: [String] = []
      for member in try reader.members(ofCollection: tuple, key) {
        guard let name = try name(member) else {
          throw ArchiveError(
            .typeMismatch, "expected the name of a property", object: member, key: key.text)
        }
        names.append(name)
      }
      tuples.append(names)
    }
    return tuples
  }

  /// The string of an object, or the name of a property object.
  private func name(_ number: Int) throws(ArchiveError) -> String? {
    if let text = try reader.string(at: number) { return text }
    guard let value = reader.value(.propertyName, of: number),
      let target = archive.reference(value)
    else { return nil }
    return try reader.string(at: target)
  }

  /// A user info dictionary, in archive order.
  func userInfo(_ number: Int) throws(ArchiveError) -> OrderedDictionary<AnyHashable, Any> {
    // Most entities have an empty one.
    if reader.isEmptyDictionary(number) { return [:] }
    guard case .dictionary(let entries)? = try foundationValue(number) else {
      throw ArchiveError(
        .typeMismatch, "expected a dictionary", object: number, key: ModelKey.userInfo.text)
    }
    var info: OrderedDictionary<AnyHashable, Any> = [:]
    for entry in entries { info[entry.key] = entry.value.any }
    return info
  }
}
