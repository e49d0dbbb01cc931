import DataModels
import Foundation

/// The values of one property of many objects as a byte sequence, each preceded by a type byte.
///
/// | byte | what follows |
/// |---|---|
/// | 0 | nothing: null |
/// | 1 | an integer |
/// | 2 | an IEEE double, eight bytes, little-endian: reals, and dates as seconds since 2001 |
/// | 3 | text: its length in bytes, and UTF-8 |
/// | 4 | data: the length in bytes, and the bytes; transformable values too |
/// | 5 | a decimal number's text, as 3 |
/// | 6 | a UUID's sixteen bytes |
/// | 7 | a URL's text, as 3; without text it's null |
/// | 8 | a composite: the number of elements, and for each its name, as 3 without the type byte, and its value |
/// | 9 | an object: its key |
/// | 10 | objects: their number, and their keys |
///
/// Lengths, counts, keys and integers are variable-length: seven bits per byte, least significant first, with the
/// highest bit set if more bytes follow. Integers have their sign in the lowest bit.
struct PackedValues {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ value: StoredValue, _ attribute: NSAttributeDescription?) throws {
    switch value {
    case .null: bytes.append(0)
    case .integer(let number):
      bytes.append(1)
      append(UInt64(bitPattern: number << 1 ^ number >> 63))
    case .real(let number):
      bytes.append(2)
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> shift))
      }
    case .text(let text): append(3, text)
    case .data(let data):
      bytes.append(4)
      append(UInt64(data.count))
      bytes.append(contentsOf: data)
    case .reference(let id):
      bytes.append(9)
      append(key: id.key)
    case .box(let box): try append(box, attribute)
    }
  }

  private mutating func append(_ box: ValueBox, _ attribute: NSAttributeDescription?) throws {
    if attribute?.attributeType == .transformableAttributeType {
      let data = try (box.value as? UntransformedBytes)?.data ?? box.bytes(for: attribute)
      return try append(.data(data), attribute)
    }
    switch box.value {
    case let decimal as Decimal: append(5, decimal.description)
    case let uuid as UUID:
      bytes.append(6)
      bytes.append(contentsOf: uuid.bytes)
    case let url as URL: append(7, url.absoluteString)
    case let values as [String: Any]:
      let elements = (attribute as? NSCompositeAttributeDescription)?.elements ?? []
      let present = elements.filter { values[$0.name] != nil }
      bytes.append(8)
      append(UInt64(present.count))
      for element in present {
        append(text: element.name)
        let value = AttributeCodec.stored(values[element.name], type: element.attributeType)
        try append(value ?? .null, element)
      }
    default:
      throw CoreDataError.make(
        NSPersistentStoreSaveError,
        "The attribute '\(attribute?.name ?? "")' contains a \(type(of: box.value)), which a binary store "
          + "can't store.")
    }
  }

  mutating func append(_ members: [NSManagedObjectID]) {
    bytes.append(10)
    append(UInt64(members.count))
    for member in members { append(key: member.key) }
  }

  mutating func append(key: Int64) { append(UInt64(bitPattern: key)) }

  private mutating func append(_ kind: UInt8, _ text: String) {
    bytes.append(kind)
    append(text: text)
  }

  private mutating func append(text: String) {
    var text = text
    text.withUTF8 {
      append(UInt64($0.count))
      bytes.append(contentsOf: $0)
    }
  }

  private mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}

/// Decodes ``PackedValues`` sequentially.
struct PackedReader {
  /// A decoded value.
  enum Value {
    case plain(StoredValue)
    case composite([String: StoredValue])
    case members([Int64])
    case member(Int64)
  }

  private let bytes: [UInt8]
  private let name: String
  private var place = 0

  /// - Parameter name: the property's name, for errors.
  init(_ bytes: [UInt8], of name: String) {
    self.bytes = bytes
    self.name = name
  }

  var isAtEnd: Bool { place == bytes.count }

  mutating func next(depth: Int = 0) throws -> Value {
    switch try byte() {
    case 0: return .plain(.null)
    case 1:
      let number = try number()
      return .plain(.integer(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)))
    case 2:
      var bits: UInt64 = 0
      for (index, byte) in try take(8).enumerated() { bits |= UInt64(byte) << (UInt64(index) * 8) }
      return .plain(.real(Double(bitPattern: bits)))
    case 3: return .plain(.text(try text()))
    case 4: return .plain(.data(Data(try take(try count()))))
    case 5:
      let text = try text()
      guard let decimal = text == "NaN" ? .nan : Decimal(string: text) else {
        throw damage("contains no decimal number: \(text.prefix(40))")
      }
      return .plain(.box(ValueBox(decimal)))
    case 6:
      guard let uuid = UUID(bytes: try take(16)) else { throw damage("contains no UUID") }
      return .plain(.box(ValueBox(uuid)))
    case 7:
      let text = try text()
      if text.isEmpty { return .plain(.null) }
      guard let url = URL(string: text) else { throw damage("contains no URL: \(text.prefix(40))") }
      return .plain(.box(ValueBox(url)))
    case 8:
      guard depth < 32 else { throw damage("contains composites nested too deeply") }
      var values: [String: StoredValue] = [:]
      for _ in 0..<(try count()) {
        let name = try text()
        switch try next(depth: depth + 1) {
        case .plain(let value): values[name] = value
        case .composite(let nested): values[name] = .box(ValueBox(nested))
        case .members, .member: throw damage("contains an object in a composite")
        }
      }
      return .composite(values)
    case 9: return .member(try key())
    case 10:
      let count = try count()
      var keys: [Int64] = []
      keys.reserveCapacity(count)
      for _ in 0..<count { keys.append(try key()) }
      return .members(keys)
    case let kind: throw damage("contains a value of the unknown kind \(kind)")
    }
  }

  /// A bare key.
  mutating func key() throws -> Int64 {
    guard let key = Int64(exactly: try number()) else {
      throw damage("contains a number that isn't a key")
    }
    return key
  }

  private mutating func byte() throws -> UInt8 {
    guard place < bytes.count else { throw damage("ends in the middle of a value") }
    defer { place += 1 }
    return bytes[place]
  }

  private mutating func number() throws -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      guard shift < 63 || byte <= 1 else { throw damage("contains a number of more than 64 bits") }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }

  /// A count of elements that take at least one byte each, so it can't exceed the bytes left.
  private mutating func count() throws -> Int {
    let number = try number()
    guard number <= UInt64(bytes.count - place) else {
      throw damage("ends in the middle of a value")
    }
    return Int(number)
  }

  private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
    guard count <= bytes.count - place else { throw damage("ends in the middle of a value") }
    defer { place += count }
    return bytes[place..<place + count]
  }

  private mutating func text() throws -> String {
    guard let text = String(validating: try take(try count()), as: UTF8.self) else {
      throw damage("contains text that isn't UTF-8")
    }
    return text
  }

  func damage(_ problem: String) -> StoreFileDamage {
    StoreFileDamage(
      problem: "\(name) \(problem), at byte \(place) of it", property: name)
  }
}
