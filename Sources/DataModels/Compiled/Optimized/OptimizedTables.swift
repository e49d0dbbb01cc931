/// The strings and data of an image, by number. In each table, number 0 is empty.
struct OptimizedTables {
  /// Strings of every kind.
  let strings: [String]
  /// Names of entities, properties, classes and so on.
  let names: [String]
  /// Hashes and archives.
  let data: [ArraySlice<UInt8>]

  init(_ bytes: [UInt8], _ header: OptimizedHeader) throws(ModelFileError) {
    strings = try Self.strings(bytes, header)
    names = try Self.names(bytes, header)
    data = try Self.data(bytes, header)
  }

  private static func strings(
    _ bytes: [UInt8], _ header: OptimizedHeader
  ) throws(ModelFileError) -> [String] {
    var cursor = OptimizedCursor(bytes, at: header.strings)
    var strings: [String] = []
    for _ in 0..<(try cursor.word()) {
      let count = try cursor.word()
      try cursor.skip(4)
      let text = try cursor.slice(count)
      // The only little-endian part of the format: the characters are stored as they were in memory.
      let units = stride(from: text.startIndex, to: text.endIndex - 1, by: 2).map {
        UInt16(text[$0]) | UInt16(text[$0 + 1]) << 8
      }
      strings.append(String(decoding: units, as: UTF16.self))
    }
    return strings
  }

  private static func names(
    _ bytes: [UInt8], _ header: OptimizedHeader
  ) throws(ModelFileError) -> [String] {
    var cursor = OptimizedCursor(bytes, at: header.names)
    var names: [String] = []
    for _ in 0..<(try cursor.word()) {
      cursor.align(to: 8)
      try cursor.skip(12)
      let count = try cursor.word()
      try cursor.skip(8)
      let text = try cursor.slice(count)
      try cursor.skip(1)
      names.append(
        String(validating: text, as: UTF8.self)
          ?? String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) })))
    }
    return names
  }

  private static func data(
    _ bytes: [UInt8], _ header: OptimizedHeader
  ) throws(ModelFileError) -> [ArraySlice<UInt8>] {
    var cursor = OptimizedCursor(bytes, at: header.data + 4)
    var data: [ArraySlice<UInt8>] = []
    for _ in 0..<header.dataCount {
      cursor.align(to: 8)
      try cursor.skip(16)
      let count = try cursor.word()
      try cursor.skip(4)
      data.append(try cursor.slice(count))
    }
    return data
  }
}

extension OptimizedTables {
  /// A string; `nil` for number 0.
  func string(_ number: Int) throws(ModelFileError) -> String? {
    guard number != 0 else { return nil }
    return try Self.element(number, of: strings, "string")
  }

  /// A name; `nil` for number 0.
  func name(_ number: Int) throws(ModelFileError) -> String? {
    guard number != 0 else { return nil }
    return try Self.element(number, of: names, "name")
  }

  /// Bytes; `nil` for number 0.
  func data(_ number: Int) throws(ModelFileError) -> ArraySlice<UInt8>? {
    guard number != 0 else { return nil }
    return try Self.element(number, of: data, "data")
  }

  /// The element with a number.
  static func element<Element>(
    _ number: Int, of elements: [Element], _ what: StaticString
  ) throws(ModelFileError) -> Element {
    guard elements.indices.contains(number) else {
      throw ModelFileError(.malformed, "\(what) \(number) of \(elements.count) is referred to")
    }
    return elements[number]
  }
}
