@testable import PropertyLists

/// A binary property list assembled byte by byte, to be valid or invalid anywhere.
struct BytesBuilder {
  /// The objects in file order; the first is the top object unless specified otherwise.
  var objects: [[UInt8]]
  var offsetWidth = 1
  var referenceWidth = 1
  var top: UInt64 = 0
  /// The incorrect count in the trailer, if any.
  var count: UInt64?
  var table: UInt64?
  var offsets: [UInt64]?

  init(_ objects: [UInt8]...) { self.objects = objects }

  var bytes: [UInt8] {
    var bytes = Array("bplist00".utf8)
    var starts: [UInt64] = []
    for object in objects {
      starts.append(UInt64(bytes.count))
      bytes += object
    }
    let table = UInt64(bytes.count)
    for start in offsets ?? starts { bytes += Self.number(start, offsetWidth) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth & 0xFF), UInt8(referenceWidth & 0xFF)]
    bytes += Self.number(count ?? UInt64(objects.count), 8)
    bytes += Self.number(top, 8)
    bytes += Self.number(self.table ?? table, 8)
    return bytes
  }

  static func number(_ value: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) : 0 }
  }
}
