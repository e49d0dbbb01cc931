/// The one look at a whole binary property list that makes every later access safe.
///
/// Works in time and memory proportional to the file: objects are looked at where they lie, and
/// objects that overlap are refused, so that nothing can be made to be read many times over.
struct BinaryPropertyListCheck {
  let bytes: UnsafeBufferPointer<UInt8>
  let limits: PropertyListLimits
  private var top = 0
  private var referenceWidth = 1
  private var offsets: [UInt32] = []
  private var tableStart = 0
  /// Bytes that the objects seen so far take together.
  private var extent = 0
  /// The arrays, sets and dictionaries, in the order of the object table.
  private var containers: [UInt32] = []
  /// Whether some container refers to one that does not come after it.
  private var mayHaveCycle = false
  /// Whether some container may be held more than once.
  private var mayShareContainers = false
  /// The bytes of the longest text, data or integer.
  private var longestLeaf = 0
  /// How many references containers hold together.
  private var referenceCount = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, limits: PropertyListLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// What is known of a list that passed.
  struct Result {
    var top: Int
    var referenceWidth: Int
    var offsets: [UInt32]
    var mayShareContainers: Bool
    var longestLeaf: Int
    var referenceCount: Int
  }

  mutating func run() throws(PropertyListError) -> Result {
    let count = try readTrailer()
    try readOffsets(count)
    for index in 0..<count { try checkObject(index) }
    try checkNesting()
    return Result(
      top: top, referenceWidth: referenceWidth, offsets: offsets,
      mayShareContainers: mayShareContainers, longestLeaf: longestLeaf,
      referenceCount: referenceCount)
  }

  // MARK: The trailer and the offset table

  private mutating func readTrailer() throws(PropertyListError) -> Int {
    guard bytes.count <= min(limits.byteCount, Int(UInt32.max) - 1) else {
      throw PropertyListError(
        .limitExceeded, "the file has \(bytes.count) bytes, over the limit of \(limits.byteCount)")
    }
    guard BinaryPropertyList.hasMagic(bytes) else {
      throw PropertyListError(
        .notAPropertyList, "not a binary property list: it does not begin with bplist00", offset: 0)
    }
    guard bytes.count >= 8 + 1 + 1 + 32 else {
      throw PropertyListError(
        .malformedStructure, "the file is shorter than a header, an object and a trailer",
        offset: bytes.count)
    }
    let trailer = bytes.count - 32
    let offsetWidth = Int(bytes[trailer + 6])
    referenceWidth = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth) else {
      throw PropertyListError(
        .malformedStructure,
        "offsets of \(offsetWidth) and references of \(referenceWidth) bytes; both must be 1 to 8",
        offset: trailer + 6)
    }
    let count = unsigned(trailer + 8, 8)
    let topObject = unsigned(trailer + 16, 8)
    let table = unsigned(trailer + 24, 8)
    guard count > 0, count <= UInt64(limits.objectCount) else {
      throw PropertyListError(
        count == 0 ? .malformedStructure : .limitExceeded,
        "\(count) objects; at least 1 and at most \(limits.objectCount) are read",
        offset: trailer + 8)
    }
    guard topObject < count else {
      throw PropertyListError(
        .malformedStructure, "the top object \(topObject) is none of the \(count) objects",
        offset: trailer + 16)
    }
    let (length, overflow) = count.multipliedReportingOverflow(by: UInt64(offsetWidth))
    guard !overflow, table >= 9, table <= UInt64(trailer), length <= UInt64(trailer) - table else {
      throw PropertyListError(
        .malformedStructure,
        "an offset table of \(count) times \(offsetWidth) bytes at \(table) lies outside the file",
        offset: trailer + 24)
    }
    top = Int(topObject)
    tableStart = Int(table)
    offsetTableWidth = offsetWidth
    return Int(count)
  }

  private var offsetTableWidth = 1

  private mutating func readOffsets(_ count: Int) throws(PropertyListError) {
    offsets.reserveCapacity(count)
    var at = tableStart
    for index in 0..<count {
      let offset = unsigned(at, offsetTableWidth)
      guard offset >= 8, offset < UInt64(tableStart) else {
        throw PropertyListError(
          .malformedStructure, "its offset \(offset) lies outside the objects", offset: at,
          object: index)
      }
      offsets.append(UInt32(offset))
      at += offsetTableWidth
    }
  }

  // MARK: Objects

  private mutating func checkObject(_ index: Int) throws(PropertyListError) {
    let start = Int(offsets[index])
    let marker = bytes[start]
    let low = Int(marker & 15)
    var end = start + 1
    // More than half of an archive's objects are these.
    if marker & 0xF8 == 0x80 { return try take(index, from: start, to: end + low + 1) }
    switch BinaryMarker(marker) {
    case .null, .boolean:
      break
    case .integer, .real, .date:
      end += 1 << low
    case .uid:
      end += low + 1
    case .data:
      end = try contents(index, unit: 1).end
    case .ascii:
      let text = try contents(index, unit: 1)
      end = text.end
      try checkASCII(text.start..<text.end, index)
    case .utf16:
      let text = try contents(index, unit: 2)
      end = text.end
      try checkUTF16(text.start..<text.end, index)
    case .array, .set:
      let list = try contents(index, unit: referenceWidth)
      end = list.end
      containers.append(UInt32(index))
      try checkReferences(from: list.start, count: list.count, index)
    case .dictionary:
      let list = try contents(index, unit: 2 * referenceWidth)
      end = list.end
      containers.append(UInt32(index))
      try checkReferences(from: list.start, count: list.count * 2, index)
      try checkKeys(from: list.start, count: list.count, index)
    case .invalid:
      throw PropertyListError(
        .malformedObject, "unknown marker 0x\(String(marker, radix: 16))", offset: start,
        object: index)
    }
    try take(index, from: start, to: end)
  }

  /// Counts the bytes of an object.
  @inline(__always)
  private mutating func take(
    _ index: Int, from start: Int, to end: Int
  ) throws(PropertyListError) {
    guard end <= tableStart else {
      throw PropertyListError(
        .malformedObject, "it ends at byte \(end), inside the offset table", offset: start,
        object: index)
    }
    extent += end - start
    if !BinaryMarker(bytes[start]).isContainer { longestLeaf = max(longestLeaf, end - start) }
    guard extent <= tableStart - 8 else {
      throw PropertyListError(
        .malformedStructure, "objects overlap: together they are larger than the file",
        offset: start, object: index)
    }
  }

  /// Where a counted object's contents begin and end.
  private func contents(
    _ index: Int, unit: Int
  ) throws(PropertyListError) -> (start: Int, count: Int, end: Int) {
    let start = Int(offsets[index])
    var count = UInt64(bytes[start] & 15)
    var at = start + 1
    if count == 15 {
      guard at < tableStart, bytes[at] >> 4 == 1, bytes[at] & 15 <= 3 else {
        throw PropertyListError(
          .malformedObject, "its count is not an integer of 1 to 8 bytes", offset: at,
          object: index)
      }
      let width = 1 << Int(bytes[at] & 15)
      guard at + 1 + width <= tableStart else {
        throw PropertyListError(
          .malformedObject, "its count is cut off", offset: at, object: index)
      }
      count = unsigned(at + 1, width)
      at += 1 + width
    }
    let (length, overflow) = count.multipliedReportingOverflow(by: UInt64(unit))
    guard !overflow, at <= tableStart, length <= UInt64(tableStart - at) else {
      throw PropertyListError(
        .malformedObject, "a count of \(count) does not fit the file", offset: start,
        object: index)
    }
    return (at, Int(count), at + Int(length))
  }

  private func checkASCII(_ range: Range<Int>, _ index: Int) throws(PropertyListError) {
    var union: UInt8 = 0
    for index in range { union |= bytes[index] }
    guard union >= 0x80 else { return }
    let at = range.first { bytes[$0] >= 0x80 } ?? range.lowerBound
    throw PropertyListError(
      .malformedObject, "an ASCII string holds the byte 0x\(String(bytes[at], radix: 16))",
      offset: at, object: index)
  }

  private func checkUTF16(_ range: Range<Int>, _ index: Int) throws(PropertyListError) {
    var at = range.lowerBound
    while at < range.upperBound {
      let high = bytes[at] & 0xFC
      if high == 0xD8 {
        guard at + 2 < range.upperBound, bytes[at + 2] & 0xFC == 0xDC else { break }
        at += 4
      } else if high == 0xDC {
        break
      } else {
        at += 2
      }
    }
    guard at >= range.upperBound else {
      throw PropertyListError(
        .malformedObject, "a UTF-16 string holds half a surrogate pair", offset: at, object: index)
    }
  }

  private mutating func checkReferences(
    from start: Int, count: Int, _ index: Int
  ) throws(PropertyListError) {
    referenceCount += count
    let limit = offsets.count
    var backwards = false
    // The common widths have loops of their own, in which the width is known.
    switch referenceWidth {
    case 1:
      for at in start..<start + count {
        let target = Int(bytes[at])
        guard target < limit else { throw unknownTarget(UInt64(target), at, index) }
        if target <= index, isContainer(target) { backwards = true }
      }
    case 2:
      for at in stride(from: start, to: start + count * 2, by: 2) {
        let target = Int(bytes[at]) << 8 | Int(bytes[at + 1])
        guard target < limit else { throw unknownTarget(UInt64(target), at, index) }
        if target <= index, isContainer(target) { backwards = true }
      }
    case 4:
      for at in stride(from: start, to: start + count * 4, by: 4) {
        let target = Int(unsigned(at, 4))
        guard target < limit else { throw unknownTarget(UInt64(target), at, index) }
        if target <= index, isContainer(target) { backwards = true }
      }
    default:
      for at in stride(from: start, to: start + count * referenceWidth, by: referenceWidth) {
        let target = unsigned(at, referenceWidth)
        guard target < UInt64(limit) else { throw unknownTarget(target, at, index) }
        if target <= UInt64(index), isContainer(Int(target)) { backwards = true }
      }
    }
    if backwards { mayHaveCycle = true }
  }

  private func unknownTarget(_ target: UInt64, _ at: Int, _ index: Int) -> PropertyListError {
    PropertyListError(
      .malformedObject, "it refers to object \(target) of \(offsets.count)", offset: at,
      object: index)
  }

  private func checkKeys(from start: Int, count: Int, _ index: Int) throws(PropertyListError) {
    var at = start
    for _ in 0..<count {
      let key = Int(unsigned(at, referenceWidth))
      let kind = bytes[Int(offsets[key])] >> 4
      guard kind == 0x5 || kind == 0x6 else {
        throw PropertyListError(
          .malformedObject, "a dictionary's key, object \(key), is not a string", offset: at,
          object: index)
      }
      at += referenceWidth
    }
  }

  // MARK: Nesting

  private func isContainer(_ index: Int) -> Bool {
    let kind = bytes[Int(offsets[index])] >> 4
    return kind == 0xA || kind == 0xC || kind == 0xD
  }

  /// Refuses cycles and nesting over the limit, without recursion.
  ///
  /// When every container comes before those it holds there is no cycle, and one pass from the end
  /// gives all depths. Otherwise a depth-first walk settles it.
  private mutating func checkNesting() throws(PropertyListError) {
    var depths = [UInt16](repeating: 0, count: offsets.count)
    let limit = min(limits.depth, Int(Self.isHeld) - 2)
    if !mayHaveCycle {
      var isShared = false
      for index in containers.reversed().map({ Int($0) }) {
        var deepest: UInt16 = 0
        forEachChild(of: index) { child in
          let depth = depths[child]
          guard depth != 0 else { return }
          isShared = isShared || depth & Self.isHeld != 0
          depths[child] = depth | Self.isHeld
          deepest = max(deepest, depth & ~Self.isHeld)
        }
        try check(Int(deepest) + 1, limit, index)
        depths[index] = deepest + 1
      }
      mayShareContainers = isShared
      return
    }
    // 0 is unseen, .max is on the path, anything else is the depth below.
    var path: [(object: Int, children: [Int], next: Int)] = []
    for root in containers.map({ Int($0) }) where depths[root] == 0 {
      depths[root] = .max
      path.append((root, children(of: root), 0))
      while let last = path.last {
        if last.next < last.children.count {
          path[path.count - 1].next += 1
          let child = last.children[last.next]
          guard isContainer(child) else { continue }
          if depths[child] == .max {
            throw PropertyListError(
              .cycle, "it holds itself through object \(child)", offset: Int(offsets[child]),
              object: last.object)
          }
          if depths[child] != 0 {
            mayShareContainers = true
          } else {
            try check(path.count + 1, limit, child)
            depths[child] = .max
            path.append((child, children(of: child), 0))
          }
        } else {
          var deepest: UInt16 = 0
          for child in last.children where isContainer(child) {
            deepest = max(deepest, depths[child])
          }
          try check(Int(deepest) + 1, limit, last.object)
          depths[last.object] = deepest + 1
          path.removeLast()
        }
      }
    }
  }

  /// Marks the depth of a container that another one holds.
  private static let isHeld: UInt16 = 0x8000

  private func check(_ depth: Int, _ limit: Int, _ index: Int) throws(PropertyListError) {
    guard depth <= limit else {
      throw PropertyListError(
        .limitExceeded, "containers nest more than \(limit) deep", offset: Int(offsets[index]),
        object: index)
    }
  }

  private func children(of index: Int) -> [Int] {
    var children: [Int] = []
    forEachChild(of: index) { children.append($0) }
    return children
  }

  private func forEachChild(of index: Int, _ body: (Int) -> Void) {
    let start = Int(offsets[index])
    var count = Int(bytes[start] & 15)
    var at = start + 1
    if count == 15 {
      let width = 1 << Int(bytes[at] & 15)
      count = Int(unsigned(at + 1, width))
      at += 1 + width
    }
    if bytes[start] >> 4 == 0xD { count *= 2 }
    for _ in 0..<count {
      body(Int(unsigned(at, referenceWidth)))
      at += referenceWidth
    }
  }

  /// A big-endian number inside the file.
  @inline(__always)
  private func unsigned(_ at: Int, _ width: Int) -> UInt64 {
    switch width {
    case 1: return UInt64(bytes[at])
    case 2: return UInt64(bytes[at]) << 8 | UInt64(bytes[at + 1])
    case 4:
      let number = UnsafeRawBufferPointer(bytes).loadUnaligned(
        fromByteOffset: at, as: UInt32.self)
      return UInt64(UInt32(bigEndian: number))
    default:
      var value: UInt64 = 0
      for index in at..<at + width { value = value << 8 | UInt64(bytes[index]) }
      return value
    }
  }
}
