import DataModels

/// A bit set of the properties that an update changed: `ZCOLUMNS` of a change.
///
/// The bits stand for foreign keys, entity columns, order keys, attributes, to-many relationships with a to-one
/// inverse or none, and many-to-many relationships, in this order. Within each group inherited properties come first.
struct ChangedColumns {
  /// The number of bits.
  let count: Int
  let positions: [String: [Int]]

  init(layout: EntityLayout, entity: SchemaEntity, table: SchemaTable?) {
    let chain = Array(sequence(first: layout, next: \.parent)).reversed()
    let own = chain.flatMap { level in
      level.entity.ownProperties.filter { !$0.isTransient }
        .sorted { NameOrder.precedes($0.name, $1.name) }.map(\.name)
    }
    var seen: Set<String> = []
    let names = own.filter { seen.insert($0).inserted }
    let toOnes = names.filter { entity.toOnes[$0] != nil }
    var places: [String: [Int]] = [:]
    var next = 0
    func place(_ name: String) {
      places[name, default: []].append(next)
      next += 1
    }
    for name in toOnes { place(name) }
    for name in toOnes where entity.toOnes[name]?.targetEntity != nil { place(name) }
    for name in toOnes where Self.hasOrderKey(name, of: entity, in: table) { place(name) }
    for name in names {
      let paths = entity.attributes.keys.filter { $0 == name || $0.hasPrefix(name + ".") }
      for _ in paths { place(name) }
    }
    for isJoin in [false, true] {
      for name in names {
        switch entity.toManys[name] {
        case .key where !isJoin, .join where isJoin: place(name)
        default: break
        }
      }
    }
    count = next
    positions = places
  }

  private static func hasOrderKey(
    _ name: String, of entity: SchemaEntity, in table: SchemaTable?
  ) -> Bool {
    table?.columns.contains { column in
      column.content == .orderKey(relationship: name)
        && entity.toOnes[name] != nil
    } ?? false
  }

  /// The bytes for the changed properties; the first bit is the highest.
  func bytes(_ names: some Sequence<String>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
    for position in names.flatMap({ positions[$0] ?? [] }) {
      bytes[position / 8] |= 0x80 >> UInt8(position % 8)
    }
    return bytes
  }

  /// The properties whose bits are set, in bit order.
  func names(in bytes: some RandomAccessCollection<UInt8>) -> [String] {
    let bits = Array(bytes)
    var found: [(position: Int, name: String)] = []
    for (name, places) in positions {
      let position = places.first { place in
        place / 8 < bits.count && bits[place / 8] & (0x80 >> UInt8(place % 8)) != 0
      }
      if let position { found.append((position, name)) }
    }
    return found.sorted { $0.position < $1.position }.map(\.name)
  }
}
