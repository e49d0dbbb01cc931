import Foundation
import OrderedCollections
import PropertyLists

/// An object of a mapping model's archive.
enum MappingItem {
  case model(NSMappingModel, [ArchiveIdentity])
  case entity(NSEntityMapping)
  case property(NSPropertyMapping)
}

extension ModelEncoder {
  /// Encodes the archive of a mapping model.
  func encode(_ mapping: NSMappingModel) throws(ArchiveError) -> [UInt8] {
    encodesMapping = true
    var assembler = Assembler(keys: ModelKey.table, style: order.style)
    let identity = assembler.newIdentity()
    let entities = (mapping.entityMappings ?? []).map { _ in assembler.newIdentity() }
    let number = try assembler.encode(
      register(.mapping(.model(mapping, entities))), identity, asking: self)
    return assembler.finish(top: [("root", number)]).binary()
  }

  func encode(_ item: MappingItem, into assembler: inout Assembler) throws(ArchiveError) -> Int {
    switch item {
    case .model(let mapping, let identities):
      let elements = zip(mapping.entityMappings ?? [], identities).map { mapping, identity in
        (name: mapping.name ?? "", value: Element.item(.mapping(.entity(mapping)), identity))
      }
      putObject(
        assembler.key(MappingKey.entityMappings),
        .array(elements.map(\.value), isMutable: false), into: &assembler)
      let byName = Dictionary(elements.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
      let order = MomcBundleOrder.grown(Array(OrderedSet(elements.map(\.name))))
      putObject(
        assembler.key(MappingKey.entityMappingsByName),
        .dictionary(order.compactMap { byName[$0] }, isMutable: true), into: &assembler)
      return putPreserved(
        mapping.preserved, class: assembler.classIndex(ArchiveClass("NSMappingModel", "NSObject")),
        into: &assembler)
    case .entity(let mapping):
      try putFields(of: mapping, into: &assembler)
      return putPreserved(
        mapping.preserved, class: assembler.classIndex(ArchiveClass("NSEntityMapping", "NSObject")),
        into: &assembler)
    case .property(let mapping):
      put(MappingKey.propertyName, text: mapping.name, into: &assembler)
      put(MappingKey.valueExpression, mapping.valueExpression, into: &assembler)
      let kept = (mapping.preserved as? PreservedContent)?.fields ?? []
      if !kept.contains(where: { $0.key == MappingKey.transforms }) {
        assembler.putNil(assembler.key(MappingKey.transforms))
      }
      try put(userInfo: mapping.userInfo, of: mapping.name, into: &assembler)
      return putPreserved(
        mapping.preserved,
        class: assembler.classIndex(ArchiveClass("NSPropertyMapping", "NSObject")), into: &assembler
      )
    }
  }

  private func putFields(
    of mapping: NSEntityMapping, into assembler: inout Assembler
  ) throws(ArchiveError) {
    // The only shared name: it is also the key in the table of mappings.
    let name = assembler.text(mapping.name ?? "")
    assembler.put(assembler.key(MappingKey.name), leaf: name)
    assembler.put(assembler.key(MappingKey.type), int32: Int(mapping.mappingType.rawValue))
    put(MappingKey.sourceName, text: mapping.sourceEntityName, into: &assembler)
    put(MappingKey.sourceHash, data: mapping.sourceEntityVersionHash, into: &assembler)
    put(MappingKey.destinationName, text: mapping.destinationEntityName, into: &assembler)
    put(MappingKey.destinationHash, data: mapping.destinationEntityVersionHash, into: &assembler)
    put(MappingKey.sourceExpression, mapping.sourceExpression, into: &assembler)
    try put(userInfo: mapping.userInfo, of: mapping.name, into: &assembler)
    put(MappingKey.policy, text: mapping.entityMigrationPolicyClassName, into: &assembler)
    put(MappingKey.attributes, mapping.attributeMappings, into: &assembler)
    put(MappingKey.relationships, mapping.relationshipMappings, into: &assembler)
  }

  private func put(_ key: String, text: String?, into assembler: inout Assembler) {
    let leaf = text.map { assembler.distinctText($0) }
    assembler.put(assembler.key(key), leaf: leaf)
  }

  private func put(_ key: String, data: Data?, into assembler: inout Assembler) {
    let leaf = data.map { assembler.boxed(data: $0) }
    assembler.put(assembler.key(key), leaf: leaf)
  }

  private func put(
    _ key: String, _ expression: DataModels.NSExpression?, into assembler: inout Assembler
  ) {
    guard let expression else { return assembler.putNil(assembler.key(key)) }
    putObject(assembler.key(key), .expression(expression.tree), into: &assembler)
  }

  private func put(_ key: String, _ mappings: [NSPropertyMapping]?, into assembler: inout Assembler)
  {
    guard let mappings else { return assembler.putNil(assembler.key(key)) }
    putObject(
      assembler.key(key),
      .array(mappings.map { .item(.mapping(.property($0)), nil) }, isMutable: false),
      into: &assembler)
  }

  private func put(
    userInfo: [AnyHashable: Any]?, of name: String?, into assembler: inout Assembler
  ) throws(ArchiveError) {
    let key = assembler.key(MappingKey.userInfo)
    guard let userInfo, !userInfo.isEmpty else { return assembler.putNil(key) }
    let entries = OrderedDictionary(
      uniqueKeysWithValues: userInfo.sorted { "\($0.key)" < "\($1.key)" })
    putObject(
      key, try self.userInfo(entries, of: "the mapping '\(name ?? "")'", into: &assembler),
      into: &assembler)
  }
}
