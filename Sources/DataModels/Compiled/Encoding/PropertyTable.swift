/// The properties that a model's entities list, entity after entity, each entity's in the order of its
/// dictionary: their own, in a store's cache the inherited ones too.
struct PropertyTable {
  private let properties: [NSPropertyDescription]
  private let entities: [Int32]
  /// Where each entity's begin, and where the last one's end.
  private let starts: [Int]
  private let positions: PositionTable

  /// The own properties, as compiled models have them.
  init(_ entities: [NSEntityDescription], _ order: MomcDictionaryOrder) {
    var properties: [NSPropertyDescription] = []
    var owners: [Int32] = []
    var starts = [0]
    let count = entities.reduce(0) { $0 + $1.ownPropertyList.count }
    properties.reserveCapacity(count)
    owners.reserveCapacity(count)
    for (position, entity) in entities.enumerated() {
      let own = entity.ownPropertyList
      for index in order.properties(own) {
        properties.append(own[index])
        owners.append(Int32(truncatingIfNeeded: position))
      }
      starts.append(properties.count)
    }
    self.properties = properties
    self.entities = owners
    self.starts = starts
    positions = PositionTable(properties)
  }

  /// What entities list that list properties of others too.
  ///
  /// - Parameter listed: What an entity lists, in order.
  init(
    _ entities: [NSEntityDescription], listed: (NSEntityDescription) -> [NSPropertyDescription]
  ) {
    var properties: [NSPropertyDescription] = []
    var owners: [Int32] = []
    var starts = [0]
    for (position, entity) in entities.enumerated() {
      let members = listed(entity)
      properties += members
      owners += Array(repeating: Int32(truncatingIfNeeded: position), count: members.count)
      starts.append(properties.count)
    }
    self.properties = properties
    self.entities = owners
    self.starts = starts
    positions = PositionTable(properties) { properties[$0].owner === entities[Int(owners[$0])] }
  }

  /// How many properties there are.
  var count: Int { properties.count }

  subscript(index: Int) -> NSPropertyDescription { properties[index] }

  /// The position of the entity that a property belongs to.
  func entity(of index: Int) -> Int { Int(entities[index]) }

  /// Where an entity's own properties stand.
  func range(ofEntity position: Int) -> Range<Int> { starts[position]..<starts[position + 1] }

  /// Where a property stands; `nil` when it is in no entity of the model.
  func position(of property: NSPropertyDescription) -> Int? { positions[property] }
}
