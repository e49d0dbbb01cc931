import DataModels
import Foundation

/// The number of a store's rows and links, and a checksum for each entity and each relationship, whatever their order.
///
/// Only checksums of the same process can be compared.
@_spi(Engines) public struct StoreChecksum: Equatable {
  private struct Sum: Equatable {
    var count = 0
    var hashes: UInt64 = 0

    mutating func add(_ hasher: Hasher) {
      count += 1
      hashes &+= UInt64(bitPattern: Int64(hasher.finalize()))
    }
  }

  private var rows: [String: Sum] = [:]
  private var links: [String: Sum] = [:]

  /// Creates the checksum of an empty store.
  public init() {}

  /// Computes the checksum of a store.
  public init(_ reading: StoreReading, progress: (Int) throws -> Void = { _ in }) throws {
    var done = 0
    for root in reading.roots {
      try reading.readRows(of: root) { row in
        try add(row)
        done += 1
        try progress(done)
      }
    }
    for relationship in reading.relationships {
      try reading.readMembers(of: relationship) { add($1, of: $0, in: relationship) }
    }
  }

  /// The number of rows of each entity that has any, by its name.
  public var counts: [(entity: String, count: Int)] {
    rows.sorted { $0.key < $1.key }.map { ($0.key, $0.value.count) }
  }

  /// The number of links in relationships.
  public var linkCount: Int { links.values.reduce(0) { $0 + $1.count } }

  /// Adds a row.
  public mutating func add(_ row: StoredRow) throws {
    var hasher = Hasher()
    hasher.combine(row.key)
    for property in row.layout.values where !property.isTransient && !property.isDerived {
      guard row.values.indices.contains(property.slot) else { continue }
      try Self.add(row.values[property.slot], property.description, to: &hasher)
    }
    rows[row.layout.name, default: Sum()].add(hasher)
  }

  /// Adds the members of an owner, in order.
  public mutating func add(
    _ members: [RowKey], of owner: RowKey, in relationship: StoreReading.Relationship
  ) {
    for (place, member) in members.enumerated() {
      var hasher = Hasher()
      hasher.combine(owner.key)
      hasher.combine(member.key)
      if relationship.property.isOrdered { hasher.combine(place) }
      links[relationship.name, default: Sum()].add(hasher)
    }
  }

  /// The names of the entities and relationships whose numbers or values differ, each with both numbers.
  public func differences(from other: StoreChecksum) -> [String] {
    func compare(_ mine: [String: Sum], _ others: [String: Sum]) -> [String] {
      Set(mine.keys).union(others.keys).sorted().compactMap { name in
        let (one, two) = (mine[name] ?? Sum(), others[name] ?? Sum())
        guard one != two else { return nil }
        return one.count == two.count
          ? "\(name): values differ" : "\(name): \(one.count) instead of \(two.count)"
      }
    }
    return compare(rows, other.rows) + compare(links, other.links)
  }

  // MARK: Values

  private static func add(
    _ value: StoredValue, _ property: NSPropertyDescription, to hasher: inout Hasher
  ) throws {
    let attribute = property as? NSAttributeDescription
    switch value {
    case .null: hasher.combine(0)
    case .integer(let number):
      hasher.combine(1)
      let isFlag = attribute?.attributeType == .booleanAttributeType
      hasher.combine(isFlag ? min(1, number.magnitude) : UInt64(bitPattern: number))
    case .real(let number):
      hasher.combine(2)
      // Negative zero becomes zero in SQLite's columns.
      hasher.combine(number == 0 ? 0 : number.bitPattern)
    case .text(let text): add(text, to: &hasher)
    case .data(let data): add(data, to: &hasher)
    case .reference(let id):
      hasher.combine(5)
      hasher.combine(id.layout.root.name)
      hasher.combine(id.key)
    case .box(let box): try add(box, attribute, to: &hasher)
    }
  }

  private static func add(_ text: String, to hasher: inout Hasher) {
    hasher.combine(3)
    hasher.combine(bytesOf: text)
  }

  private static func add(_ data: Data, to hasher: inout Hasher) {
    hasher.combine(4)
    hasher.combine(bytesOf: data)
  }

  private static func add(
    _ box: ValueBox, _ attribute: NSAttributeDescription?, to hasher: inout Hasher
  ) throws {
    if let composite = attribute as? NSCompositeAttributeDescription {
      guard let values = box.value as? [String: Any] else { return hasher.combine(0) }
      return try add(values, composite, to: &hasher)
    }
    switch box.value {
    case let number as Decimal where attribute?.attributeType == .decimalAttributeType:
      hasher.combine(6)
      add(digits(number), to: &hasher)
    case let uuid as UUID where attribute?.attributeType == .UUIDAttributeType:
      hasher.combine(7)
      hasher.combine(uuid)
    case let url as URL where attribute?.attributeType == .URIAttributeType:
      add(url.absoluteString, to: &hasher)
    default: add(try box.bytes(for: attribute), to: &hasher)
    }
  }

  /// A number's digits without trailing zeros after the point: the hashes of `Decimal` are those of doubles.
  private static func digits(_ number: Decimal) -> String {
    var digits = number.description
    guard digits.contains(".") else { return digits }
    while digits.hasSuffix("0") { digits.removeLast() }
    if digits.hasSuffix(".") { digits.removeLast() }
    return digits
  }

  private static func add(
    _ values: [String: Any], _ composite: NSCompositeAttributeDescription, to hasher: inout Hasher
  ) throws {
    hasher.combine(8)
    for element in composite.elements.sorted(by: { $0.name < $1.name }) {
      guard let value = values[element.name], !(value is NSNull) else {
        hasher.combine(0)
        continue
      }
      let stored = AttributeCodec.stored(value, type: element.attributeType) ?? .null
      try add(stored, element, to: &hasher)
    }
  }
}
