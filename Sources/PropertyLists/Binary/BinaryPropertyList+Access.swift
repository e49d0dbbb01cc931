extension BinaryPropertyList {
  /// The kind of an object, determined without reading its contents.
  @inlinable
  public func marker(at index: Int) -> BinaryMarker {
    BinaryMarker(bytes[offset(of: index)])
  }

  /// Decodes an object with its string, data or references.
  public func value(at index: Int) -> PropertyListValue {
    let start = offset(of: index)
    switch BinaryMarker(bytes[start]) {
    case .null: return .null
    case .boolean: return .boolean(bytes[start] == 0x09)
    case .integer: return .integer(integer(at: start), width: 1 << Int(bytes[start] & 15))
    case .real:
      return bytes[start] == 0x22
        ? .float(Float(bitPattern: UInt32(truncatingIfNeeded: unsigned(at: start + 1, width: 4))))
        : .double(Double(bitPattern: unsigned(at: start + 1, width: 8)))
    case .date: return .date(Double(bitPattern: unsigned(at: start + 1, width: 8)))
    case .data: return .data(Array(bytes[payload(at: start, unit: 1)]))
    case .ascii, .utf16: return .string(text(at: start))
    case .uid: return .uid(unsigned(at: start + 1, width: Int(bytes[start] & 15) + 1))
    case .array: return .array(Array(references(at: start)))
    case .set: return .set(Array(references(at: start)))
    case .dictionary:
      let (keys, values) = pairs(at: start)
      return .dictionary(keys: Array(keys), values: Array(values))
    case .invalid: return .null  // Refused on opening.
    }
  }

  /// The value of a string; `nil` for any other object.
  public func string(at index: Int) -> String? {
    let start = offset(of: index)
    switch BinaryMarker(bytes[start]) {
    case .ascii, .utf16: return text(at: start)
    default: return nil
    }
  }

  /// The bytes of an ASCII string, without copying; `nil` for any other object.
  public func asciiBytes(at index: Int) -> ArraySlice<UInt8>? {
    let start = offset(of: index)
    guard BinaryMarker(bytes[start]) == .ascii else { return nil }
    return bytes[payload(at: start, unit: 1)]
  }

  /// The bytes of a data object, without copying; `nil` for any other object.
  public func data(at index: Int) -> ArraySlice<UInt8>? {
    let start = offset(of: index)
    guard BinaryMarker(bytes[start]) == .data else { return nil }
    return bytes[payload(at: start, unit: 1)]
  }

  /// The value of an integer that fits in 64 bits; `nil` for any other object.
  public func integer(at index: Int, as type: Int.Type = Int.self) -> Int? {
    let start = offset(of: index)
    guard BinaryMarker(bytes[start]) == .integer else { return nil }
    let width = 1 << Int(bytes[start] & 15)
    if width <= 8 { return Int(truncatingIfNeeded: unsigned(at: start + 1, width: width)) }
    return Int(exactly: integer(at: start))
  }

  /// The value of a real or of an integer as a `Double`; `nil` for any other object.
  public func double(at index: Int) -> Double? {
    switch value(at: index) {
    case .double(let value): value
    case .float(let value): Double(value)
    case .integer(let value, _): Double(value)
    default: nil
    }
  }

  /// The value of a boolean; `nil` for any other object.
  public func boolean(at index: Int) -> Bool? {
    switch bytes[offset(of: index)] {
    case 0x08: false
    case 0x09: true
    default: nil
    }
  }

  /// The number of a UID; `nil` for any other object.
  public func uid(at index: Int) -> UInt64? {
    let start = offset(of: index)
    guard BinaryMarker(bytes[start]) == .uid else { return nil }
    return unsigned(at: start + 1, width: Int(bytes[start] & 15) + 1)
  }

  /// The number of bytes that a string or data object occupies in the file; 1 for any other object.
  func length(of index: Int) -> Int {
    let start = offset(of: index)
    switch BinaryMarker(bytes[start]) {
    case .data, .ascii: return payload(at: start, unit: 1).count + 1
    case .utf16: return payload(at: start, unit: 2).count + 1
    default: return 1
    }
  }

  /// The members of an array or set, without copying; `nil` for any other object.
  public func elements(at index: Int) -> BinaryReferences? {
    let start = offset(of: index)
    switch BinaryMarker(bytes[start]) {
    case .array, .set: return references(at: start)
    default: return nil
    }
  }

  /// The keys and values of a dictionary, without copying; `nil` for any other object.
  public func dictionary(at index: Int) -> (keys: BinaryReferences, values: BinaryReferences)? {
    let start = offset(of: index)
    guard BinaryMarker(bytes[start]) == .dictionary else { return nil }
    return pairs(at: start)
  }

  /// The value for a dictionary's key; `nil` when there is none or the object is not a dictionary.
  ///
  /// Searches the keys linearly, which suits the few keys of an archived object.
  public func value(forKey key: String, ofDictionary index: Int) -> Int? {
    guard let (keys, values) = dictionary(at: index) else { return nil }
    for position in keys.indices where isText(keys[position], equalTo: key) {
      return values[position]
    }
    return nil
  }

  /// Whether an object is a given string; the string is not decoded when the lengths differ.
  private func isText(_ index: Int, equalTo text: String) -> Bool {
    let start = offset(of: index)
    switch BinaryMarker(bytes[start]) {
    case .ascii: return bytes[payload(at: start, unit: 1)].elementsEqual(text.utf8)
    case .utf16: return header(at: start).count == text.utf16.count && self.text(at: start) == text
    default: return false
    }
  }

  /// The byte offset of an object in the file, for messages.
  @inlinable
  public func offset(of index: Int) -> Int {
    Int(offsets[index])
  }
}

// Reading at an offset that opening the list has checked.
extension BinaryPropertyList {
  @usableFromInline
  func unsigned(at offset: Int, width: Int) -> UInt64 {
    var value: UInt64 = 0
    for byte in bytes[offset..<offset + width] { value = value << 8 | UInt64(byte) }
    return value
  }

  private func integer(at start: Int) -> Int128 {
    switch bytes[start] & 15 {
    case 0, 1, 2: return Int128(unsigned(at: start + 1, width: 1 << Int(bytes[start] & 15)))
    case 3: return Int128(Int64(bitPattern: unsigned(at: start + 1, width: 8)))
    default:
      let high = Int64(bitPattern: unsigned(at: start + 1, width: 8))
      return Int128(high) << 64 | Int128(unsigned(at: start + 9, width: 8))
    }
  }

  /// The count in a marker's low half, or in the integer that follows it, and the offset of the contents.
  private func header(at start: Int) -> (count: Int, contents: Int) {
    let low = Int(bytes[start] & 15)
    guard low == 15 else { return (low, start + 1) }
    let width = 1 << Int(bytes[start + 1] & 15)
    let count = Int(truncatingIfNeeded: unsigned(at: start + 2, width: width))
    return (count, start + 2 + width)
  }

  private func payload(at start: Int, unit: Int) -> Range<Int> {
    let (count, contents) = header(at: start)
    return contents..<contents + count * unit
  }

  private func text(at start: Int) -> String {
    if bytes[start] >> 4 == 0x5 {
      return String(decoding: bytes[payload(at: start, unit: 1)], as: UTF8.self)
    }
    let range = payload(at: start, unit: 2)
    let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }

  private func references(at start: Int) -> BinaryReferences {
    let (count, contents) = header(at: start)
    return BinaryReferences(bytes: bytes, start: contents, width: referenceWidth, count: count)
  }

  private func pairs(at start: Int) -> (keys: BinaryReferences, values: BinaryReferences) {
    let (count, contents) = header(at: start)
    return (
      BinaryReferences(bytes: bytes, start: contents, width: referenceWidth, count: count),
      BinaryReferences(
        bytes: bytes, start: contents + count * referenceWidth, width: referenceWidth, count: count)
    )
  }
}
