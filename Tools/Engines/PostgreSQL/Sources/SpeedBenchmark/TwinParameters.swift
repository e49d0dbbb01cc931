/// Values in PostgreSQL's binary format: a statement's parameters, or the rows of a `COPY`.
///
/// They lie one after another in a single buffer, as a program in C would have them.
struct TwinParameters {
  /// The OIDs of the types that the benchmark uses.
  enum TypeNumber {
    static let int8: UInt32 = 20
    static let text: UInt32 = 25
    static let float8: UInt32 = 701
    static let timestamp: UInt32 = 1184
  }

  private(set) var bytes: [UInt8] = []
  private(set) var offsets: [Int] = []

  var count: Int { offsets.count }

  /// The length of the parameter at an index.
  func length(_ index: Int) -> Int32 {
    let end = index + 1 < offsets.count ? offsets[index + 1] : bytes.count
    return Int32(end - offsets[index])
  }

  // MARK: Parameters

  mutating func append(_ number: Int64) {
    offsets.append(bytes.count)
    put(number)
  }

  mutating func append(_ text: String) {
    offsets.append(bytes.count)
    bytes.append(contentsOf: text.utf8)
  }

  /// Appends an array without NULLs, whose elements `body` writes as fields.
  mutating func append(
    arrayOf element: UInt32, count: Int, _ body: (inout TwinParameters) -> Void
  ) {
    offsets.append(bytes.count)
    // One dimension, no NULLs, the type, the length and the lower bound.
    for word in [1, 0, element, UInt32(count), 1] { put(word) }
    body(&self)
  }

  mutating func append(integers: some Collection<Int64>) {
    append(arrayOf: TypeNumber.int8, count: integers.count) { bytes in
      for number in integers { bytes.field(number) }
    }
  }

  // MARK: Fields

  /// Begins a row of a `COPY`.
  mutating func beginRow(fields: Int16) { put(fields) }

  mutating func field(_ number: Int64) {
    put(UInt32(8))
    put(number)
  }

  mutating func field(_ number: Double) {
    put(UInt32(8))
    put(number.bitPattern)
  }

  mutating func field(_ text: String) {
    put(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes a timestamp, given in seconds since 2001.
  mutating func field(seconds: Double) { field(Int64(seconds * 1e6) + Self.epoch) }

  /// The number of microseconds from 2000, PostgreSQL's epoch, to 2001.
  static let epoch: Int64 = 31_622_400_000_000

  // MARK: Copying

  /// Writes what a binary `COPY` begins with: the signature, flags and an empty extension.
  mutating func beginCopy() {
    bytes += Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  }

  mutating func endCopy() { put(Int16(-1)) }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    offsets.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private mutating func put(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
