/// Thrift's compact protocol, in which all of a Parquet file but its values is written.
///
/// Fields must be written in ascending order of their numbers, as Parquet's definitions list them.
struct ThriftWriter {
  /// The protocol's number of a type.
  enum Kind: UInt8 {
    case yes = 1
    case no = 2
    case byte = 3
    case int16 = 4
    case int32 = 5
    case int64 = 6
    case binary = 8
    case list = 9
    case structure = 12
  }

  private(set) var bytes: [UInt8] = []
  /// The number of the field before, of which headers hold the distance.
  private var lastField: Int16 = 0

  /// The bytes of a structure of its own.
  static func structure(_ body: (inout ThriftWriter) -> Void) -> [UInt8] {
    var writer = ThriftWriter()
    writer.contents(body)
    return writer.bytes
  }

  // MARK: Fields

  mutating func field(_ number: Int16, _ flag: Bool) { header(number, flag ? .yes : .no) }

  mutating func field(_ number: Int16, _ value: Int8) {
    header(number, .byte)
    bytes.append(UInt8(bitPattern: value))
  }

  mutating func field(_ number: Int16, _ value: Int32) {
    header(number, .int32)
    append(zigzag: Int64(value))
  }

  mutating func field(_ number: Int16, _ value: Int64) {
    header(number, .int64)
    append(zigzag: value)
  }

  mutating func field(_ number: Int16, _ value: [UInt8]) {
    header(number, .binary)
    append(value)
  }

  mutating func field(_ number: Int16, _ value: String) { field(number, Array(value.utf8)) }

  mutating func field(_ number: Int16, _ structure: (inout ThriftWriter) -> Void) {
    header(number, .structure)
    contents(structure)
  }

  /// A structure that is bytes already.
  mutating func field(_ number: Int16, bytes structure: [UInt8]) {
    header(number, .structure)
    bytes.append(contentsOf: structure)
  }

  /// A structure whose only field is an empty structure: how Parquet spells a case without values.
  mutating func field(_ number: Int16, case inner: Int16) {
    field(number) { $0.field(inner) { _ in } }
  }

  // MARK: Lists

  mutating func list(_ number: Int16, _ values: [Int32]) {
    header(number, listOf: .int32, count: values.count)
    for value in values { append(zigzag: Int64(value)) }
  }

  mutating func list(_ number: Int16, _ values: [String]) {
    header(number, listOf: .binary, count: values.count)
    for value in values { append(Array(value.utf8)) }
  }

  /// A list of structures that are bytes already.
  mutating func list(_ number: Int16, structures: [[UInt8]]) {
    header(number, listOf: .structure, count: structures.count)
    for structure in structures { bytes.append(contentsOf: structure) }
  }

  // MARK: Bytes

  private mutating func contents(_ body: (inout ThriftWriter) -> Void) {
    let outer = lastField
    lastField = 0
    body(&self)
    bytes.append(0)
    lastField = outer
  }

  private mutating func header(_ number: Int16, _ kind: Kind) {
    let distance = number - lastField
    if (1...15).contains(distance) {
      bytes.append(UInt8(distance) << 4 | kind.rawValue)
    } else {
      bytes.append(kind.rawValue)
      append(zigzag: Int64(number))
    }
    lastField = number
  }

  private mutating func header(_ number: Int16, listOf members: Kind, count: Int) {
    header(number, .list)
    if count < 15 {
      bytes.append(UInt8(count) << 4 | members.rawValue)
    } else {
      bytes.append(0xF0 | members.rawValue)
      bytes.append(varint: UInt64(count))
    }
  }

  private mutating func append(_ value: [UInt8]) {
    bytes.append(varint: UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  private mutating func append(zigzag value: Int64) {
    bytes.append(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
  }
}

extension [UInt8] {
  /// Appends a number in groups of seven bits, the lowest first.
  mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
