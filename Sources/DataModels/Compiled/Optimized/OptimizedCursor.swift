/// Takes numbers out of an image, in order, never past the end of a record.
struct OptimizedCursor {
  let bytes: [UInt8]
  var offset: Int
  let end: Int

  /// Begins at an offset.
  ///
  /// - Parameter end: Where the record ends; no further than the bytes.
  init(_ bytes: [UInt8], at offset: Int, end: Int? = nil) {
    self.bytes = bytes
    self.offset = offset
    self.end = min(end ?? bytes.count, bytes.count)
  }

  /// The records of a section that stand between two equal words: the word, the size in bytes up to
  /// the end of the second one, then the contents, with which each cursor begins.
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

  /// How many bytes are left.
  var remaining: Int { max(end - offset, 0) }

  /// A byte.
  mutating func byte() throws(ModelFileError) -> UInt8 {
    let start = try take(1, alignment: 1)
    return bytes[start]
  }

  /// A word of 32 bits, at the next multiple of 4.
  mutating func word() throws(ModelFileError) -> Int {
    let start = try take(4, alignment: 4)
    return bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// A word of 64 bits, at the next multiple of 8.
  mutating func longBits() throws(ModelFileError) -> UInt64 {
    let start = try take(8, alignment: 8)
    return bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A number of 64 bits that counts or names something.
  mutating func long() throws(ModelFileError) -> Int {
    let start = offset
    guard let value = Int(exactly: try longBits()) else {
      throw ModelFileError(.malformed, "a number is out of range", offset: start)
    }
    return value
  }

  /// The numbers of an array's image: 20 bytes of zero, a count, and as many long words.
  mutating func array() throws(ModelFileError) -> [Int] {
    let count = try arrayCount(elementSize: 8)
    var numbers: [Int] = []
    numbers.reserveCapacity(count)
    for _ in 0..<count { numbers.append(try long()) }
    return numbers
  }

  /// The head of an array's image: how many elements of a size follow.
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

  /// Leaves bytes out.
  mutating func skip(_ count: Int) throws(ModelFileError) {
    _ = try take(count, alignment: 1)
  }

  /// Goes on to the next multiple of a power of two.
  mutating func align(to alignment: Int) {
    offset = (offset + alignment - 1) & ~(alignment - 1)
  }

  /// Bytes where they lie.
  mutating func slice(_ count: Int) throws(ModelFileError) -> ArraySlice<UInt8> {
    let start = try take(count, alignment: 1)
    return bytes[start..<start + count]
  }

  private mutating func take(_ count: Int, alignment: Int) throws(ModelFileError) -> Int {
    // Offsets never pass the file's size, nor do counts 2³²: no sum overflows.
    let start = (offset + alignment - 1) & ~(alignment - 1)
    guard start <= end, count <= end - start else {
      throw ModelFileError(
        .malformed, "the record or the file ends in the middle of a value", offset: min(start, end))
    }
    offset = start + count
    return start
  }
}
