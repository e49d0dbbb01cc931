/// The record of a fetch request in an image.
struct OptimizedRequest {
  var offset = 0
  var fetchOffset = 0
  var entity: Int?
  var predicate = 0
  var havingPredicate = 0
  var sortDescriptors = 0
  var batchSize = 0
  var fetchLimit = 0
  /// Bits as the framework's own structure has them, with the type of the result among them.
  var flags = 0

  /// What stands before and after a request's record.
  private static let marker = 0xBEEF_CAFE

  /// Reads the records of a file.
  static func all(
    _ bytes: [UInt8], _ header: OptimizedHeader
  ) throws(ModelFileError) -> [OptimizedRequest] {
    var cursor = OptimizedCursor(bytes, at: header.requests)
    let count = try cursor.word()
    var requests: [OptimizedRequest] = []
    var offset = cursor.offset
    for _ in 0..<count {
      var head = OptimizedCursor(bytes, at: offset)
      guard try head.word() == marker else {
        throw ModelFileError(.malformed, "expected a fetch request's record", offset: offset)
      }
      let size = try head.word()
      guard size >= 4, size <= bytes.count - offset - 4 else {
        throw ModelFileError(
          .malformed, "a fetch request's record of \(size) bytes", offset: offset)
      }
      var record = OptimizedCursor(bytes, at: head.offset, end: offset + 4 + size)
      requests.append(try OptimizedRequest(from: &record, offset: offset))
      offset = (offset + 4 + size + 3) & ~3
    }
    return requests
  }

  private init(from cursor: inout OptimizedCursor, offset: Int) throws(ModelFileError) {
    self.offset = offset
    _ = try cursor.word()  // What to group by.
    havingPredicate = try cursor.word()
    fetchOffset = try cursor.long()
    _ = try cursor.word()  // Which values to fetch.
    if try cursor.word() != 0 { entity = try cursor.word() } else { _ = try cursor.word() }
    predicate = try cursor.word()
    sortDescriptors = try cursor.word()
    batchSize = try cursor.long()
    fetchLimit = try cursor.long()
    _ = try cursor.word()  // Which relationships to fetch along.
    flags = try cursor.word()
  }
}
