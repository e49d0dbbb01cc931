import ManagedModel

/// The own properties of a model's entities, entity after entity, each entity's in the order of its
/// dictionary.
struct PropertyTable {
  private let properties: [NSPropertyDescription]
  private let entities: [Int32]
  /// Where each entity's begin, and where the last one's end.
  private let starts: [Int]
  private let positions: PositionTable

  init(_ entities: [NSEntityDescription], _ order: ModelOrder) {
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
