import Foundation

/// A statement's parameter values, stored contiguously in PostgreSQL's binary format.
struct PostgreSQLParameters {
  /// OIDs of PostgreSQL's built-in types.
  enum TypeNumber {
    static let boolean: UInt32 = 16
    static let bytes: UInt32 = 17
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let float4: UInt32 = 700
    static let float8: UInt32 = 701
    static let timestamp: UInt32 = 1184
    static let numeric: UInt32 = 1700
    static let uuid: UInt32 = 2950
    static let json: UInt32 = 3802
    static let int8Array: UInt32 = 1016
    static let textArray: UInt32 = 1009
    /// Lets the server infer the type from the statement.
    static let unknown: UInt32 = 0
  }

  private(set) var bytes: [UInt8] = []
  /// The offset of each value; -1 for NULL.
  private(set) var offsets: [Int] = []
  private(set) var lengths: [Int32] = []
  private(set) var types: [UInt32] = []

  var count: Int { types.count }

  /// The longest message that the server takes, in bytes, with room for what accompanies the values.
  static let longestMessage = 0x3fff_ffff - (1 << 20)

  /// Refuses values that are too many bytes for one message: the server would end the connection, and it would seem that
  /// sending them again may help.
  ///
  /// - Parameter limit: the most bytes.
  func checkSize(_ limit: Int = Self.longestMessage) throws(PostgreSQLError) {
    guard bytes.count <= limit else {
      throw PostgreSQLError(
        state: "54000",
        message:
          "The values of a statement have \(bytes.count) bytes, and the server takes at most \(limit)"
      )
    }
  }

  init() {}

  /// Removes all values from the given index on.
  mutating func removeLast(from count: Int) {
    offsets.removeLast(offsets.count - count)
    lengths.removeLast(lengths.count - count)
    types.removeLast(types.count - count)
  }

  // MARK: Values

  mutating func append(_ number: Int64) { add(TypeNumber.int8) { Self.put(number, into: &$0) } }
  mutating func append(_ number: Double) {
    add(TypeNumber.float8) { Self.put(number.bitPattern, into: &$0) }
  }
  mutating func append(_ text: String) {
    add(TypeNumber.text) { $0.append(contentsOf: text.utf8) }
  }

  /// Appends the label of an enumeration; the statement determines its type.
  mutating func append(label: String) {
    add(TypeNumber.unknown) { $0.append(contentsOf: label.utf8) }
  }

  mutating func append(keys: some Collection<Int64>) {
    append(array: TypeNumber.int8Array, of: TypeNumber.int8, keys.count) { bytes in
      for key in keys {
        Self.put(UInt32(8), into: &bytes)
        Self.put(key, into: &bytes)
      }
    }
  }

  mutating func append(texts: [String]) {
    append(array: TypeNumber.textArray, of: TypeNumber.text, texts.count) { bytes in
      for text in texts {
        Self.put(UInt32(truncatingIfNeeded: text.utf8.count), into: &bytes)
        bytes.append(contentsOf: text.utf8)
      }
    }
  }

  private mutating func append(
    array: UInt32, of element: UInt32, _ count: Int, _ elements: (inout [UInt8]) -> Void
  ) {
    add(array) { bytes in
      // One dimension, no NULLs; then its length and lower bound.
      Self.put(UInt32(count == 0 ? 0 : 1), into: &bytes)
      Self.put(UInt32(0), into: &bytes)
      Self.put(element, into: &bytes)
      guard count > 0 else { return }
      Self.put(UInt32(truncatingIfNeeded: count), into: &bytes)
      Self.put(UInt32(1), into: &bytes)
      elements(&bytes)
    }
  }

  /// Appends an array of values of one type, any of which may be NULL.
  mutating func append(array values: [PostgreSQLValue], of element: UInt32) {
    let hasNull = values.contains { if case .null = $0 { true } else { false } }
    add(Self.arrayType(of: element)) { bytes in
      Self.put(UInt32(values.isEmpty ? 0 : 1), into: &bytes)
      Self.put(UInt32(hasNull ? 1 : 0), into: &bytes)
      Self.put(element, into: &bytes)
      guard !values.isEmpty else { return }
      Self.put(UInt32(truncatingIfNeeded: values.count), into: &bytes)
      Self.put(UInt32(1), into: &bytes)
      for value in values { Self.putField(value, into: &bytes) }
    }
  }

  /// Appends a value preceded by its length, as in arrays and `COPY` rows.
  static func putField(_ value: PostgreSQLValue, into bytes: inout [UInt8]) {
    // The types of most values have lengths that are known before they are written.
    switch value {
    case .null: return put(Int32(-1), into: &bytes)
    case .int8(let number), .timestamp(let number):
      put(UInt32(8), into: &bytes)
      return put(number, into: &bytes)
    case .float8(let number):
      put(UInt32(8), into: &bytes)
      return put(number.bitPattern, into: &bytes)
    case .text(let text):
      put(UInt32(truncatingIfNeeded: text.utf8.count), into: &bytes)
      return bytes.append(contentsOf: text.utf8)
    default: break
    }
    let place = bytes.count
    put(Int32(0), into: &bytes)
    value.write(into: &bytes)
    let length = UInt32(truncatingIfNeeded: bytes.count - place - 4)
    for (index, shift) in [24, 16, 8, 0].enumerated() {
      bytes[place + index] = UInt8(truncatingIfNeeded: length >> UInt32(shift))
    }
  }

  /// Returns the OID of the array type for an element type.
  private static func arrayType(of element: UInt32) -> UInt32 {
    switch element {
    case TypeNumber.boolean: 1000
    case TypeNumber.bytes: 1001
    case TypeNumber.int2: 1005
    case TypeNumber.int4: 1007
    case TypeNumber.int8: TypeNumber.int8Array
    case TypeNumber.float4: 1021
    case TypeNumber.float8: 1022
    case TypeNumber.timestamp: 1185
    case TypeNumber.numeric: 1231
    case TypeNumber.uuid: 2951
    case TypeNumber.json: 3807
    default: TypeNumber.textArray
    }
  }

  mutating func append(_ value: PostgreSQLValue) {
    switch value {
    case .null(let type):
      offsets.append(-1)
      lengths.append(0)
      types.append(type)
    default: add(value.type) { value.write(into: &$0) }
    }
  }

  private mutating func add(_ type: UInt32, _ write: (inout [UInt8]) -> Void) {
    offsets.append(bytes.count)
    write(&bytes)
    lengths.append(Int32(truncatingIfNeeded: bytes.count - (offsets.last ?? 0)))
    types.append(type)
  }

  /// Appends an integer in big-endian byte order.
  @inline(__always)
  static func put(_ number: some FixedWidthInteger, into bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
