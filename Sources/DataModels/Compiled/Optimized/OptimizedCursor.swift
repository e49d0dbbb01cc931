/// Reads numbers from an image sequentially, never past the end of a record.
struct OptimizedCursor {
  let bytes: [UInt8]
  var offset: Int
  let end: Int

  /// Creates a cursor at an offset.
  ///
  /// - Parameter end: The end of the record; limited to the available bytes.
  init(_ bytes: [UInt8], at offset: Int, end: Int? = nil) {
    self.bytes = bytes
    self.offset = offset
    self.end = min(end ?? bytes.count, bytes.count)
  }

  /// The records of a section, each framed by two equal words: the word, the size in bytes up to the end of the second
  /// word, then the contents, at which each cursor starts.
  static func framedRecords(
    in bytes: [UInt8], at start: Int, count: Int, marker: Int, of what: StaticString
  ) throws(ModelFileError) -> [OptimizedCursor] {
    var records: [OptimizedCursor] = []
    var offset = start
    for _ in 0..<count {
      var cursor = OptimizedCursor(bytes, at: offset)
      guard try cursor.word() == marker else {
        throw ModelFileError(.malformed, "expected the record of \(what)", offset: offset)
      }
      let size = try cursor.word()
      guard size >= 4, size <= bytes.count - offset - 4 else {
        throw ModelFileError(
          .malformed, "the record of \(what) can't have \(size) bytes", offset: offset)
      }
      let end = offset + 4 + size
      records.append(OptimizedCursor(bytes, at: cursor.offset, end: end))
      offset = (end + 3) & ~3
    }
    return records
  }

  /// The number of bytes left.
  var remaining: Int { max(end - offset, 0) }

  /// Reads a byte.
  mutating func byte() throws(ModelFileError) -> UInt8 {
    let start = try take(1, alignment: 1)
    return bytes[start]
  }

  /// Reads a 32-bit word at the next multiple of 4.
  mutating func word() throws(ModelFileError) -> Int {
    let start = try take(4, alignment: 4)
    return bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads a 64-bit word at the next multiple of 8.
  mutating func longBits() throws(ModelFileError) -> UInt64 {
    let start = try take(8, alignment: 8)
    return bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads a 64-bit number that is a count or an identifier.
  mutating func long() throws(ModelFileError) -> Int {
    let start = offset
    guard let value = Int(exactly: try longBits()) else {
      throw ModelFileError(.malformed, "a number is out of range", offset: start)
    }
    return value
  }

  /// Reads the numbers of an array image: 20 zero bytes, a count, and as many 64-bit words.
  mutating func array() throws(ModelFileError) -> [Int] {
    let count = try arrayCount(elementSize: 8)
    var numbers: [Int] = []
    numbers.reserveCapacity(count)
    for _ in 0..<count { numbers.append(try long()) }
    return numbers
  }

  /// Reads the header of an array image, and returns the number of elements that follow.
  mutating func arrayCount(elementSize: Int) throws(ModelFileError) -> Int {
    let start = try take(20, alignment: 8)
    guard bytes[start..<start + 20].allSatisfy({ $0 == 0 }) else {
      throw ModelFileError(.malformed, "expected an array", offset: start)
    }
    let count = try word()
    guard count <= remaining / elementSize else {
      throw ModelFileError(
        .malformed, "an array of \(count) elements runs past its record", offset: start)
    }
    return count
  }

  /// Skips bytes.
  mutating func skip(_ count: Int) throws(ModelFileError) {
    _ = try take(count, alignment: 1)
  }

  /// Advances to the next multiple of a power of two.
  mutating func align(to alignment: Int) {
    offset = (offset + alignment - 1) & ~(alignment - 1)
  }

  /// Reads bytes without copying.
  mutating func slice(_ count: Int) throws(ModelFileError) -> ArraySlice<UInt8> {
    let start = try take(count, alignment: 1)
    return bytes[start..<start + count]
  }

  private mutating func take(_ count: Int, alignment: Int) throws(ModelFileError) -> Int {
    // Offsets never exceed the file's size, and counts are below 2³², so no sum overflows.
    let start = (offset + alignment - 1) & ~(alignment - 1)
    guard start <= end, count <= end - start else {
      throw ModelFileError(
        .malformed, "the record or the file ends in the middle of a value", offset: min(start, end))
    }
    offset = start + count
    return start
  }
}
