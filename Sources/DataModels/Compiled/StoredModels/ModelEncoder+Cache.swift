import PropertyLists

/// The differences between a compiled model and the copy of it kept in a store, which Core Data writes at run time from
/// the model in use.
extension ModelEncoder {
  /// Encodes the dictionary of entities, which has a set of predefined keys.
  func encodeCachedEntities(into assembler: inout Assembler) -> Int {
    assembler.put(assembler.key("version"), int32: 1)
    putObject(ModelKey.searchMapping.id, .cachedNames, into: &assembler)
    assembler.put(ModelKey.emptyToken.id, leaf: assembler.text(Self.emptySlot))
    putObject(
      ModelKey.mappingValues.id,
      .array(
        entities.indices.map { .item(.entity($0), identity(ofEntity: $0)) }, isMutable: false),
      into: &assembler)
    return assembler.classIndex(
      ArchiveClass(
        "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary",
        "NSObject"))
  }

  /// Encodes the predefined keys.
  func encodeCachedNames(into assembler: inout Assembler) -> Int {
    assembler.put(assembler.key("version"), int32: 1)
    assembler.put(assembler.key("length"), int64: names.count)
    putObject(
      ModelKey.mappingKeys.id, .array(names.map { .leaf(assembler.text($0)) }, isMutable: false),
      into: &assembler)
    return assembler.classIndex(
      ArchiveClass("NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy", "NSObject"))
  }

  /// The marker for a key without a value.
  private static let emptySlot = "__empty_slot_token_4c24_98dc_ac1e_b773__"
}

extension MomcDictionaryOrder {
  /// The order of a cached model's entities: sorted by name.
  static func cachedEntities(_ names: [String]) -> [Int] {
    names.indices.sorted { names[$0] < names[$1] }
  }

  /// The order of an entity's subentities in a cached model.
  func cachedSubentities(_ names: [String]) -> [Int] {
    let sorted = Self.cachedEntities(names)
    return CoreFoundationOrder.sized(hashes: sorted.map { style.hash(names[$0]) })
      .map { sorted[$0] }
  }
}

extension PropertyTable {
  /// The properties of a cached model, which repeats inherited properties in each subentity: attributes, then
  /// relationships, then fetched properties. Within each kind, properties introduced closest to the root of the
  /// hierarchy come first, those of the same entity sorted by name. The result is inserted into a dictionary of the
  /// right size.
  init(listingInheritedOf entities: [NSEntityDescription], _ order: MomcDictionaryOrder) {
    self.init(entities) { entity in
      var members: [CachedMember] = []
      var positions: [String: Int] = [:]
      for (depth, ancestor) in entity.ancestry.reversed().enumerated() {
        for property in ancestor.ownPropertyList {
          if let position = positions[property.storedName], ancestor !== members[position].entity {
            // A nearer property replaces one that it overrides, in the same position.
            members[position].property = property
            members[position].entity = ancestor
          } else {
            positions[property.storedName] = members.count
            members.append(CachedMember(depth: depth, property: property, entity: ancestor))
          }
        }
      }
      members.sort()
      return CoreFoundationOrder.sized(
        hashes: members.map { order.style.hash($0.property.storedName) }
      ).map { members[$0].property }
    }
  }
}

/// A property listed by an entity, own or inherited, with its sort key.
private struct CachedMember: Comparable {
  var depth: Int
  var property: NSPropertyDescription
  var entity: NSEntityDescription

  private var rank: UInt8 { MomcDictionaryOrder.rank(of: property) }

  static func < (left: CachedMember, right: CachedMember) -> Bool {
    (left.rank, left.depth, left.property.storedName)
      < (right.rank, right.depth, right.property.storedName)
  }

  static func == (left: CachedMember, right: CachedMember) -> Bool {
    left.property === right.property && left.depth == right.depth
  }
}
