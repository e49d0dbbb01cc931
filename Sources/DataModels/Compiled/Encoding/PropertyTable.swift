/// The properties listed by a model's entities, grouped by entity, each group in dictionary order: own properties, and
/// in a store's cache inherited ones as well.
struct PropertyTable {
  private let properties: [NSPropertyDescription]
  private let entities: [Int32]
  /// The start of each entity's group, followed by the end of the last.
  private let starts: [Int]
  private let positions: PositionTable

  /// Creates a table of own properties, as in compiled models.
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

  /// Creates a table for entities that also list properties of others.
  ///
  /// - Parameter listed: Returns the properties that an entity lists, in order.
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

  /// The number of properties.
  var count: Int { properties.count }

  subscript(index: Int) -> NSPropertyDescription { properties[index] }

  /// The index of the entity that a property belongs to.
  func entity(of index: Int) -> Int { Int(entities[index]) }

  /// The range of an entity's properties.
  func range(ofEntity position: Int) -> Range<Int> { starts[position]..<starts[position + 1] }

  /// The position of a property; `nil` when it doesn't belong to an entity of the model.
  func position(of property: NSPropertyDescription) -> Int? { positions[property] }
}
