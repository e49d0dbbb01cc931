/// The record of an entity in an image.
struct OptimizedEntity {
  /// An index of the entity.
  struct Index {
    var name = 0
    var predicate: Int?
    var elements: [IndexElement] = []
  }

  /// An element of an index.
  struct IndexElement {
    var propertyName = 0
    var collation = 0
    var isAscending = true
    var expression: Int?
  }

  var versionHashModifier = 0
  var versionHash = 0
  var className = 0
  var name = 0
  var superentity: Int?
  var isAbstract = false
  var renamingIdentifier = 0
  var spotlightExpression = 0
  var userInfo = 0
  var indexes: [Index] = []
  /// The attribute names of each constraint.
  var uniquenessConstraints: [[Int]] = []

  /// The record's offset, for messages.
  let offset: Int

  /// The word before and after an entity's record.
  static let marker = 0xDAED_FEEB
  /// The flag of abstract entities.
  private static let abstractFlag = 0x1

  private init(offset: Int) {
    self.offset = offset
  }

  /// Reads all entity records of a file.
  static func all(
    in bytes: [UInt8], header: OptimizedHeader, properties: [OptimizedProperty]
  ) throws(ModelFileError) -> [OptimizedEntity] {
    var entities: [OptimizedEntity] = []
    var rests: [OptimizedCursor] = []
    let records = try OptimizedCursor.framedRecords(
      in: bytes, at: header.entities + 4, count: header.entityCount, marker: marker,
      of: "an entity")
    for var record in records {
      var entity = OptimizedEntity(offset: record.offset)
      try entity.readFront(from: &record)
      entities.append(entity)
      rests.append(record)
    }
    let counts = try propertyCounts(entities, properties)
    for place in entities.indices {
      try entities[place].readRest(
        from: rests[place], place: place, entityCount: entities.count,
        propertyCount: counts[place])
    }
    return entities
  }

  /// The number of properties of each entity, including inherited ones.
  private static func propertyCounts(
    _ entities: [OptimizedEntity], _ properties: [OptimizedProperty]
  ) throws(ModelFileError) -> [Int] {
    var own = Array(repeating: 0, count: entities.count)
    for property in properties where own.indices.contains(property.entity) {
      own[property.entity] += 1
    }
    var totals: [Int?] = Array(repeating: nil, count: entities.count)
    for start in entities.indices {
      var chain: [Int] = []
      var next: Int? = start
      while let place = next, totals[place] == nil {
        guard chain.count < entities.count else {
          throw ModelFileError(
            .malformed, "an entity is its own ancestor",
            offset: entities[start].offset)
        }
        chain.append(place)
        next = entities[place].superentity
        if let above = next, !entities.indices.contains(above) {
          throw ModelFileError(
            .malformed, "entity \(above) of \(entities.count) is referred to",
            offset: entities[place].offset)
        }
      }
      var total = next.flatMap { totals[$0] } ?? 0
      for place in chain.reversed() {
        total += own[place]
        totals[place] = total
      }
    }
    return totals.map { $0 ?? 0 }
  }

  private mutating func readFront(from cursor: inout OptimizedCursor) throws(ModelFileError) {
    versionHashModifier = try cursor.word()
    versionHash = try cursor.word()
    className = try cursor.word()
    name = try cursor.word()
    if try cursor.byte() != 0 { superentity = try cursor.word() }
    _ = try cursor.word()  // The entity at the root of the hierarchy.
    if try cursor.byte() != 0 {
      _ = try cursor.word()  // The mapping of the subentities' names.
      let count = try cursor.word()
      guard count <= cursor.remaining / 8 else {
        throw ModelFileError(.malformed, "\(count) subentities", offset: offset)
      }
      for _ in 0..<count { _ = try cursor.long() }
    }
    _ = try cursor.word()  // The mapping of the properties' names.
  }

  // MARK: Differences between generations

  /// The fields at the end of a record that depend on the generation.
  private struct Layout {
    /// The number of ranges of properties by class.
    var rangeCount: Int
    /// How many of the optional fields, display name expression and indexes, precede the constraints.
    var optionalFields: Int
  }

  /// The known layouts, newest first. The layout of a file can only be determined from its records: the fields must end
  /// where the record does, and every number must be in range.
  private static let layouts = [
    Layout(rangeCount: 18, optionalFields: 2), Layout(rangeCount: 17, optionalFields: 2),
    Layout(rangeCount: 17, optionalFields: 1), Layout(rangeCount: 17, optionalFields: 0),
    Layout(rangeCount: 16, optionalFields: 0), Layout(rangeCount: 18, optionalFields: 1),
    Layout(rangeCount: 18, optionalFields: 0),
  ]

  private mutating func readRest(
    from start: OptimizedCursor, place: Int, entityCount: Int, propertyCount: Int
  ) throws(ModelFileError) {
    var cursor = start
    try Self.skipProperties(propertyCount, in: &cursor)
    for layout in Self.layouts {
      var attempt = self
      let isRead = try? attempt.readTail(
        from: cursor, layout, place: place, entityCount: entityCount)
      if isRead == true {
        self = attempt
        return
      }
    }
    throw ModelFileError(
      .malformed, "an entity's record has none of the forms known; read the .mom beside it",
      offset: offset)
  }

  /// Skips the list of own and inherited properties: a word per property to be filled in at run time, followed by a
  /// description of each property.
  private static func skipProperties(
    _ count: Int, in cursor: inout OptimizedCursor
  ) throws(ModelFileError) {
    for _ in 0..<count { _ = try cursor.longBits() }
    for _ in 0..<count {
      let start = cursor.offset
      switch try cursor.word() {
      case 0: _ = try cursor.word()
      case 1:
        // An inherited property: its number, its position, and an object to be filled in at run time.
        _ = try cursor.word()
        _ = try cursor.word()
        for _ in 0..<3 { _ = try cursor.longBits() }
        _ = try cursor.word()
      default:
        throw ModelFileError(
          .malformed, "expected an own or inherited property", offset: start)
      }
    }
  }

  /// Tries to read the rest of the record with a layout.
  ///
  /// - Returns: Whether the record has this layout.
  private mutating func readTail(
    from start: OptimizedCursor, _ layout: Layout, place: Int, entityCount: Int
  ) throws(ModelFileError) -> Bool {
    var cursor = start
    for _ in 0..<layout.rangeCount * 2 {
      // List positions. If the layout is wrong and the flags are read as one, the value is far greater.
      guard try cursor.long() <= UInt32.max else { return false }
    }
    isAbstract = try cursor.word() & Self.abstractFlag != 0
    // Space for objects created at run time, which varies in size: the renaming identifier is the first nonzero number.
    var zeros = 0
    repeat {
      renamingIdentifier = try cursor.long()
      zeros += 1
    } while renamingIdentifier == 0 && zeros <= 16
    if layout.optionalFields == 2 {
      spotlightExpression = try cursor.long()
      try readIndexes(from: &cursor)
    } else if layout.optionalFields == 1, try cursor.long() != 0 {
      return false
    }
    let constraints = try cursor.long()
    guard constraints <= cursor.remaining / 24 else { return false }
    uniquenessConstraints = []
    for _ in 0..<constraints { uniquenessConstraints.append(try cursor.array()) }
    userInfo = try cursor.word()
    // The entity and its descendants, followed by its own number.
    let familySize = try cursor.word()
    let family = try cursor.array()
    guard familySize == family.count, family.allSatisfy({ $0 < entityCount }),
      try cursor.word() == place
    else { return false }
    _ = try cursor.word()
    _ = try cursor.word()
    let isMarked = try cursor.word() == Self.marker
    return isMarked && cursor.remaining == 0
  }

  private mutating func readIndexes(from cursor: inout OptimizedCursor) throws(ModelFileError) {
    let count = try cursor.long()
    guard count <= cursor.remaining / 24 else {
      throw ModelFileError(.malformed, "\(count) indexes", offset: cursor.offset)
    }
    indexes = []
    for _ in 0..<count {
      var index = Index()
      index.name = try cursor.long()
      if try cursor.long() != 0 { index.predicate = try cursor.long() }
      let elementCount = try cursor.long()
      guard elementCount <= cursor.remaining / 32 else {
        throw ModelFileError(.malformed, "\(elementCount) elements", offset: cursor.offset)
      }
      for _ in 0..<elementCount {
        var element = IndexElement()
        element.propertyName = try cursor.long()
        element.collation = try cursor.long()
        element.isAscending = try cursor.long() != 0
        if try cursor.long() != 0 { element.expression = try cursor.long() }
        index.elements.append(element)
      }
      indexes.append(index)
    }
  }
}
