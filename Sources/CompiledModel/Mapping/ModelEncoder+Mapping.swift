import Foundation
import KeyedArchive
import ManagedModel
import OrderedCollections

/// An object of a mapping model's archive.
enum MappingItem {
  case model(NSMappingModel, [ArchiveIdentity])
  case entity(NSEntityMapping)
  case property(NSPropertyMapping)
}

extension ModelEncoder {
  /// The archive of a mapping model.
  func encode(_ mapping: NSMappingModel) throws(ArchiveError) -> [UInt8] {
    let assembler = Assembler(
      source: ModelArchiveSource(encoder: self), keys: ModelKey.allCases.map(\.text),
      style: ModelClasses.style)
    let identity = assembler.newIdentity()
    let entities = (mapping.entityMappings ?? []).map { _ in assembler.newIdentity() }
    let number = try assembler.encode(.mapping(.model(mapping, entities)), identity)
    return assembler.finish(top: [("root", number)]).binary()
  }

  func encode(_ item: MappingItem, into assembler: Assembler) throws(ArchiveError) -> Int {
    switch item {
    case .model(let mapping, let identities):
      let elements = zip(mapping.entityMappings ?? [], identities).map { mapping, identity in
        (name: mapping.name ?? "", value: Element.item(.mapping(.entity(mapping)), identity))
      }
      assembler.put(
        assembler.key(MappingKey.entityMappings),
        object: .array(elements.map(\.value), isMutable: false))
      let byName = Dictionary(elements.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
      let order = NameTable.grown(Array(OrderedSet(elements.map(\.name))))
      assembler.put(
        assembler.key(MappingKey.entityMappingsByName),
        object: .dictionary(order.compactMap { byName[$0] }, isMutable: true))
      return assembler.classIndex(ArchiveClass("NSMappingModel", "NSObject"))
    case .entity(let mapping):
      try putFields(of: mapping, assembler)
      return assembler.classIndex(ArchiveClass("NSEntityMapping", "NSObject"))
    case .property(let mapping):
      put(MappingKey.propertyName, text: mapping.name, assembler)
      put(MappingKey.valueExpression, mapping.valueExpression, assembler)
      assembler.putNil(assembler.key(MappingKey.transforms))
      try put(userInfo: mapping.userInfo, of: mapping.name, assembler)
      return assembler.classIndex(ArchiveClass("NSPropertyMapping", "NSObject"))
    }
  }

  private func putFields(
    of mapping: NSEntityMapping, _ assembler: Assembler
  ) throws(ArchiveError) {
    put(MappingKey.name, text: mapping.name, assembler)
    assembler.put(assembler.key(MappingKey.type), int32: Int(mapping.mappingType.rawValue))
    put(MappingKey.sourceName, text: mapping.sourceEntityName, assembler)
    put(MappingKey.sourceHash, data: mapping.sourceEntityVersionHash, assembler)
    put(MappingKey.destinationName, text: mapping.destinationEntityName, assembler)
    put(MappingKey.destinationHash, data: mapping.destinationEntityVersionHash, assembler)
    put(MappingKey.sourceExpression, mapping.sourceExpression, assembler)
    try put(userInfo: mapping.userInfo, of: mapping.name, assembler)
    put(MappingKey.policy, text: mapping.entityMigrationPolicyClassName, assembler)
    put(MappingKey.attributes, mapping.attributeMappings, assembler)
    put(MappingKey.relationships, mapping.relationshipMappings, assembler)
  }

  private func put(_ key: String, text: String?, _ assembler: Assembler) {
    assembler.put(assembler.key(key), leaf: text.map(assembler.text))
  }

  private func put(_ key: String, data: Data?, _ assembler: Assembler) {
    assembler.put(assembler.key(key), leaf: data.map { assembler.boxed(data: $0) })
  }

  private func put(
    _ key: String, _ expression: ManagedModel.NSExpression?, _ assembler: Assembler
  ) {
    guard let expression else { return assembler.putNil(assembler.key(key)) }
    assembler.put(assembler.key(key), object: .expression(expression.tree))
  }

  private func put(_ key: String, _ mappings: [NSPropertyMapping]?, _ assembler: Assembler) {
    guard let mappings else { return assembler.putNil(assembler.key(key)) }
    assembler.put(
      assembler.key(key),
      object: .array(mappings.map { .item(.mapping(.property($0)), nil) }, isMutable: false))
  }

  private func put(
    userInfo: [AnyHashable: Any]?, of name: String?, _ assembler: Assembler
  ) throws(ArchiveError) {
    let key = assembler.key(MappingKey.userInfo)
    guard let userInfo, !userInfo.isEmpty else { return assembler.putNil(key) }
    let entries = OrderedDictionary(
      uniqueKeysWithValues: userInfo.sorted { "\($0.key)" < "\($1.key)" })
    assembler.put(
      key, object: try self.userInfo(entries, of: "the mapping \"\(name ?? "")\"", assembler))
  }
}
