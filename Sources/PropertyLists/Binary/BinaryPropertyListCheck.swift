#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The single validation pass over a binary property list that makes every later access safe.
///
/// Its time and memory are proportional to the file's size: objects are examined in place, and overlapping objects are
/// refused, so that no part of a file can be made to be read many times.
struct BinaryPropertyListCheck {
  let bytes: UnsafeBufferPointer<UInt8>
  let limits: PropertyListLimits
  private var top = 0
  private var referenceWidth = 1
  private var offsets: [UInt32] = []
  private var tableStart = 0
  /// The total number of bytes of the objects seen so far.
  private var extent = 0
  /// The arrays, sets and dictionaries that contain other containers, in the order of the object table.
  private var parents: [UInt32] = []
  /// Whether a container refers to one that does not come after it.
  private var mayHaveCycle = false
  /// Whether a container may be referenced more than once.
  private var mayShareContainers = false
  /// The size in bytes of the longest string, data or integer.
  private var longestLeaf = 0
  /// The total number of references in containers.
  private var referenceCount = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, limits: PropertyListLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// The facts gathered about a valid list.
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
    try checkObjects(count)
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
    let (table, width) = (tableStart, offsetTableWidth)
    guard let base = bytes.baseAddress else { return }
    var isSound = true
    offsets = [UInt32](unsafeUninitializedCapacity: count) { offsets, initializedCount in
      guard let offsets = offsets.baseAddress else { return }
      Self.forEach(base + table, count: count, width: width) { index, offset in
        if offset < 8 || offset >= UInt64(table) { isSound = false }
        offsets[index] = UInt32(truncatingIfNeeded: offset)
        return true
      }
      initializedCount = count
    }
    guard !isSound else { return }
    for index in 0..<count {
      let offset = Self.unsigned(bytes, at: table + index * width, width: width)
      guard offset >= 8, offset < UInt64(table) else {
        throw PropertyListError(
          .malformedStructure, "its offset \(offset) lies outside the objects",
          offset: table + index * width, object: index)
      }
    }
  }

  // MARK: Objects

  private mutating func checkObjects(_ count: Int) throws(PropertyListError) {
    var index = 0
    while index < count {
      index = try checkUIDs(from: index)
      guard index < count else { return }
      try checkObject(index)
      index += 1
    }
  }

  /// Checks a run of consecutive UIDs, which are more than half of an archive's objects.
  ///
  /// - Returns: The number of the first object that is not a UID.
  private mutating func checkUIDs(from first: Int) throws(PropertyListError) -> Int {
    let base = bytes.baseAddress
    var index = first
    var extent = extent
    var longest = longestLeaf
    let end = tableStart
    offsets.withUnsafeBufferPointer { offsets in
      guard let base, let offsets = offsets.baseAddress else { return }
      let count = self.offsets.count
      while index < count {
        let start = Int(offsets[index])
        let marker = base[start]
        guard marker & 0xF8 == 0x80 else { break }
        let length = Int(marker & 7) + 2
        guard start + length <= end, extent + length <= end - 8 else { break }
        extent += length
        if length > longest { longest = length }
        index += 1
      }
    }
    self.extent = extent
    longestLeaf = longest
    return index
  }

  private mutating func checkObject(_ index: Int) throws(PropertyListError) {
    let start = Int(offsets[index])
    let marker = bytes[start]
    let low = Int(marker & 15)
    var end = start + 1
    switch BinaryMarker(marker) {
    case .null, .boolean:
      break
    case .integer, .real, .date:
      end += 1 << low
    case .uid:
      // One that ends too late; all others are part of a run.
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
      try checkReferences(from: list.start, count: list.count, index)
    case .dictionary:
      let list = try contents(index, unit: 2 * referenceWidth)
      end = list.end
      try checkKeys(from: list.start, count: list.count, index)
      try checkReferences(
        from: list.start + list.count * referenceWidth, count: list.count, index)
    case .invalid:
      throw PropertyListError(
        .malformedObject, "unknown marker 0x\(String(marker, radix: 16))", offset: start,
        object: index)
    }
    try take(index, from: start, to: end)
  }

  /// Accounts for the bytes of an object.
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

  /// The start, count and end of the contents of an object that has a count.
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
      .malformedObject, "an ASCII string contains the byte 0x\(String(bytes[at], radix: 16))",
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
        .malformedObject, "a UTF-16 string contains half a surrogate pair", offset: at,
        object: index)
    }
  }

  /// Checks the references of an array, a set, or a dictionary's values.
  private mutating func checkReferences(
    from start: Int, count: Int, _ index: Int
  ) throws(PropertyListError) {
    referenceCount += count
    guard count > 0, let base = bytes.baseAddress else { return }
    let width = referenceWidth
    var holdsContainers = false
    var unknown = -1
    var isBackwards = false
    offsets.withUnsafeBufferPointer { buffer in
      guard let offsets = buffer.baseAddress else { return }
      let limit = UInt64(buffer.count)
      Self.forEach(base + start, count: count, width: width) { position, target in
        guard target < limit else {
          unknown = position
          return false
        }
        // The offsets were checked when they were read.
        guard Self.isContainer(base[Int(offsets[Int(target)])]) else { return true }
        holdsContainers = true
        if target <= UInt64(index) { isBackwards = true }
        return true
      }
    }
    guard unknown < 0 else { throw unknownTarget(start + unknown * width, index) }
    if holdsContainers { parents.append(UInt32(index)) }
    if isBackwards { mayHaveCycle = true }
  }

  private func unknownTarget(_ at: Int, _ index: Int) -> PropertyListError {
    let target = unsigned(at, referenceWidth)
    return PropertyListError(
      .malformedObject, "it refers to object \(target) of \(offsets.count)", offset: at,
      object: index)
  }

  /// Checks that a dictionary's keys are strings, unless they are identical to keys seen recently.
  private mutating func checkKeys(
    from start: Int, count: Int, _ index: Int
  ) throws(PropertyListError) {
    referenceCount += count
    guard count > 0, let base = bytes.baseAddress else { return }
    let length = count * referenceWidth
    let known = keysSeen[count & 15]
    if known.count == count, memcmp(base + known.start, base + start, length) == 0 { return }
    var at = start
    for _ in 0..<count {
      let target = unsigned(at, referenceWidth)
      guard target < UInt64(offsets.count) else { throw unknownTarget(at, index) }
      let key = Int(target)
      let kind = bytes[Int(offsets[key])] >> 4
      guard kind == 0x5 || kind == 0x6 else {
        throw PropertyListError(
          .malformedObject, "a dictionary's key, object \(key), is not a string", offset: at,
          object: index)
      }
      at += referenceWidth
    }
    keysSeen[count & 15] = (start, count)
  }

  /// Keys already found to be strings, indexed by the low bits of their count.
  private var keysSeen = [(start: Int, count: Int)](repeating: (0, 0), count: 16)

  // MARK: Nesting

  private func isContainer(_ index: Int) -> Bool {
    Self.isContainer(bytes[Int(offsets[index])])
  }

  @inline(__always)
  private static func isContainer(_ marker: UInt8) -> Bool {
    // The high nibbles 0xA, 0xC and 0xD.
    marker >= 0xA0 && (0x3400 >> UInt16(marker >> 4)) & 1 != 0
  }

  /// Refuses cycles and nesting over the limit, without recursion.
  ///
  /// If every container precedes the containers it holds, there is no cycle, and one backward pass yields all depths.
  /// Otherwise a depth-first search decides. Only containers that hold containers matter; the depth of all others is 1.
  private mutating func checkNesting() throws(PropertyListError) {
    let limit = max(1, min(limits.depth, Int(Self.isHeld) - 2))
    guard !parents.isEmpty else { return }
    var depths = [UInt16](repeating: 0, count: offsets.count)
    if !mayHaveCycle {
      var isShared = false
      for index in parents.reversed().map({ Int($0) }) {
        var deepest: UInt16 = 0
        forEachChild(of: index) { child in
          guard isContainer(child) else { return }
          let depth = depths[child]
          isShared = isShared || depth & Self.isHeld != 0
          depths[child] = depth | Self.isHeld
          deepest = max(deepest, depth & ~Self.isHeld, 1)
        }
        try check(Int(deepest) + 1, against: limit, of: index)
        depths[index] = deepest + 1
      }
      mayShareContainers = isShared
      return
    }
    // 0 means unvisited, .max on the current path, anything else is the depth below.
    var path: [(object: Int, children: [Int], next: Int)] = []
    for root in parents.map({ Int($0) }) where depths[root] == 0 {
      depths[root] = .max
      path.append((root, children(of: root), 0))
      while let last = path.last {
        if last.next < last.children.count {
          path[path.count - 1].next += 1
          let child = last.children[last.next]
          guard isContainer(child) else { continue }
          if depths[child] == .max {
            throw PropertyListError(
              .cycle, "it contains itself through object \(child)", offset: Int(offsets[child]),
              object: last.object)
          }
          if depths[child] != 0 {
            mayShareContainers = true
          } else {
            try check(path.count + 1, against: limit, of: child)
            depths[child] = .max
            path.append((child, children(of: child), 0))
          }
        } else {
          var deepest: UInt16 = 0
          for child in last.children where isContainer(child) {
            deepest = max(deepest, depths[child])
          }
          try check(Int(deepest) + 1, against: limit, of: last.object)
          depths[last.object] = deepest + 1
          path.removeLast()
        }
      }
    }
  }

  /// Marks the depth of a container that is held by another.
  private static let isHeld: UInt16 = 0x8000

  private func check(_ depth: Int, against limit: Int, of index: Int) throws(PropertyListError) {
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
    // A dictionary's keys are strings, so they are skipped.
    if bytes[start] >> 4 == 0xD { at += count * referenceWidth }
    for _ in 0..<count {
      body(Int(unsigned(at, referenceWidth)))
      at += referenceWidth
    }
  }

  /// Reads a big-endian number.
  @inline(__always)
  private func unsigned(_ at: Int, _ width: Int) -> UInt64 {
    Self.unsigned(bytes, at: at, width: width)
  }

  @inline(__always)
  private static func unsigned(
    _ bytes: UnsafeBufferPointer<UInt8>, at: Int, width: Int
  ) -> UInt64 {
    precondition(at >= 0 && at + width <= bytes.count, "a number lies outside the file")
    guard let base = bytes.baseAddress else { return 0 }
    return unsigned(base + at, width)
  }

  /// The same of a number that is known to lie in the file.
  @inline(__always)
  private static func unsigned(_ start: UnsafePointer<UInt8>, _ width: Int) -> UInt64 {
    switch width {
    case 1: return UInt64(start[0])
    case 2: return UInt64(start[0]) << 8 | UInt64(start[1])
    case 3: return UInt64(start[0]) << 16 | UInt64(start[1]) << 8 | UInt64(start[2])
    case 4:
      let number = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
      return UInt64(UInt32(bigEndian: number))
    default:
      var value: UInt64 = 0
      for index in 0..<width { value = value << 8 | UInt64(start[index]) }
      return value
    }
  }

  /// Calls `body` with each of the numbers that lie one after another, until it returns false.
  ///
  /// The width is looked at once rather than for every number.
  @inline(__always)
  private static func forEach(
    _ start: UnsafePointer<UInt8>, count: Int, width: Int, _ body: (Int, UInt64) -> Bool
  ) {
    var position = 0
    switch width {
    case 2:
      while position < count, body(position, unsigned(start + 2 * position, 2)) { position += 1 }
    case 3:
      while position < count, body(position, unsigned(start + 3 * position, 3)) { position += 1 }
    default:
      while position < count, body(position, unsigned(start + width * position, width)) {
        position += 1
      }
    }
  }
}
