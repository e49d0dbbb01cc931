import DataModels

/// What the other sides of relationships add: foreign keys, positions, join tables.
extension SchemaBuilder {
  /// The entity that declares a property: the topmost one that has it.
  private func owner(of property: String, from index: Int) -> Int {
    var index = index
    while entities[index].parentNumber != 0 {
      let parent = entities[index].parentNumber - 1
      guard entities[parent].description.propertiesByName[property] != nil else { break }
      index = parent
    }
    return index
  }

  func layOutRelationships() throws(SchemaError) {
    let visited = SchemaNames.inOrder(Array(entities.indices)) { entities[$0].name }
    for index in visited {
      let relationships = entities[index].description.relationshipsByName
      let names =
        orderMatters(at: index)
        ? HashOrder.primeTableOrder(hashTables[index].names)
        : entities[index].description.properties.map(\.name)
      for name in names {
        guard let relationship = relationships[name], !relationship.isTransient else { continue }
        let owner = owner(of: name, from: index)
        if relationship.isToMany {
          try layOutToMany(relationship, owner: owner)
        } else {
          layOutOrderKey(relationship, at: index, owner: owner)
        }
      }
    }
  }

  private func layOutOrderKey(
    _ relationship: NSRelationshipDescription, at index: Int, owner: Int
  ) {
    guard let inverse = relationship.inverseRelationship, inverse.isToMany, inverse.isOrdered
    else { return }
    let place = "\(owner).\(relationship.name)"
    let name =
      orderNames[place]
      ?? uniqueName(
        "Z_FOK_" + relationship.name.uppercased(), root: entities[owner].rootNumber)
    orderNames[place] = name
    for entity in index..<entities[index].lastNumber
    where orderColumns[entity].insert(name).inserted {
      hashTables[entity].insert("_" + name)
      if entity == owner {
        addColumn(named: name, .orderKey(relationship: relationship.name), to: owner)
      }
    }
  }

  private func layOutToMany(
    _ relationship: NSRelationshipDescription, owner: Int
  ) throws(SchemaError) {
    guard entities[owner].toManys[relationship.name] == nil else { return }
    let destination = try number(ofDestinationOf: relationship, in: owner)
    guard let inverse = relationship.inverseRelationship else {
      entities[owner].toManys[relationship.name] = layOutHiddenToOne(
        relationship, owner: owner, destination: destination)
      return
    }
    guard inverse.isToMany else {
      // The inverse's columns; its order column may not be known until everything has been visited.
      guard let columns = entities[destination - 1].toOnes[inverse.name] else {
        throw SchemaError(
          entity: entities[owner].name, property: relationship.name,
          problem: "the inverse, '\(inverse.name)', is not stored in '\(destination)'")
      }
      entities[owner].toManys[relationship.name] = .key(
        columns.key, targetEntity: columns.targetEntity, order: nil, destination: destination)
      return
    }
    layOutJoinTable(
      relationship, owner: owner, inverse: inverse,
      inverseOwner: self.owner(of: inverse.name, from: destination - 1), destination: destination)
  }

  /// Stores a to-many relationship without an inverse in hidden columns of the destination's table, which belong to
  /// no property of the destination.
  private func layOutHiddenToOne(
    _ relationship: NSRelationshipDescription, owner: Int, destination: Int
  ) -> SchemaEntity.ToMany {
    let stem = "\(owner + 1)\(relationship.name.uppercased())"
    let target = destination - 1
    let key = addColumn("Z" + stem, .foreignKey(relationship: stem), to: target)
    let targetEntity =
      entities[owner].hasSubentities
      ? addColumn("Z\(owner + 1)_\(stem)", .targetEntity(relationship: stem), to: target) : nil
    let order =
      relationship.isOrdered
      ? addColumn("Z_FOK_\(stem)", .orderKey(relationship: stem), to: target) : nil
    for entity in target..<entities[target].lastNumber where orderMatters(at: target) {
      hashTables[entity].insert("_" + key)
      if let targetEntity { hashTables[entity].insert("_" + targetEntity) }
      hashTables[entity].insert("\(owner + 1)\(relationship.name)")
      if let order { hashTables[entity].insert("_" + order) }
    }
    return .key(key, targetEntity: targetEntity, order: order, destination: destination)
  }

  private func layOutJoinTable(
    _ relationship: NSRelationshipDescription, owner: Int,
    inverse: NSRelationshipDescription, inverseOwner: Int, destination: Int
  ) {
    let (ownerRoot, inverseRoot) = (entities[owner].rootNumber, entities[inverseOwner].rootNumber)
    let ownerStem = "\(owner + 1)\(inverse.name.uppercased())"
    let inverseStem = "\(inverseOwner + 1)\(relationship.name.uppercased())"
    let isReflexive = owner == inverseOwner && relationship.name == inverse.name
    let ownerKey = uniqueName("Z_" + ownerStem, root: ownerRoot)
    let ownerOrder =
      inverse.isOrdered ? uniqueName("Z_FOK_" + ownerStem, root: ownerRoot) : nil
    let inverseKey = isReflexive ? "REFLEXIVE" : uniqueName("Z_" + inverseStem, root: inverseRoot)
    let inverseOrder: String? =
      if !relationship.isOrdered { nil } else if isReflexive { "Z_FOK_REFLEXIVE" } else {
        uniqueName("Z_FOK_" + inverseStem, root: inverseRoot)
      }
    let position = joinTables.count
    joinTables.append(
      JoinTable(
        name: JoinTable.name(of: relationship.name, ownerNumber: owner + 1), ownerNumber: owner + 1,
        relationship: relationship.name, inverseOwnerNumber: inverseOwner + 1,
        inverse: inverse.name, ownerKey: ownerKey, inverseKey: inverseKey,
        ownerOrder: ownerOrder, inverseOrder: inverseOrder,
        indexesOrder: relationship.isOrdered
          && SchemaOptions.isOn(
            relationship.userInfo?["NSRelationshipDescriptionOrderKeyIndexOption"])
      ))
    entities[owner].toManys[relationship.name] = .join(
      position, isOwner: true, destination: destination)
    if !isReflexive {
      let back =
        inverse.destinationEntity?.name.flatMap { numbers[$0] } ?? owner + 1
      entities[inverseOwner].toManys[inverse.name] = .join(
        position, isOwner: false, destination: back)
    }
  }

  /// Completes to-many relationships with their order columns, and passes them on to subentities.
  func passDownToManys() {
    for index in entities.indices {
      for (name, storage) in entities[index].toManys {
        guard case .key(let key, let targetEntity, nil, let destination) = storage,
          let relationship = entities[index].description.relationshipsByName[name],
          let inverse = relationship.inverseRelationship
        else { continue }
        let place = "\(owner(of: inverse.name, from: destination - 1)).\(inverse.name)"
        entities[index].toManys[name] = .key(
          key, targetEntity: targetEntity, order: orderNames[place], destination: destination)
      }
      guard entities[index].parentNumber != 0 else { continue }
      entities[index].toManys.merge(entities[entities[index].parentNumber - 1].toManys) {
        own, _ in own
      }
    }
  }
}
