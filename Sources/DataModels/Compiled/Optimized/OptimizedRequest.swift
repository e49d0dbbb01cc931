/// The record of a fetch request in an image.
struct OptimizedRequest {
  var fetchOffset = 0
  var entity: Int?
  var predicate = 0
  var havingPredicate = 0
  var sortDescriptors = 0
  var batchSize = 0
  var fetchLimit = 0
  /// The bits of the framework's own structure, including the result type.
  var flags = 0

  /// The word before and after a request's record.
  private static let marker = 0xBEEF_CAFE

  /// Reads all request records of a file.
  static func all(
    _ bytes: [UInt8], _ header: OptimizedHeader
  ) throws(ModelFileError) -> [OptimizedRequest] {
    var cursor = OptimizedCursor(bytes, at: header.requests)
    let count = try cursor.word()
    let records = try OptimizedCursor.framedRecords(
      in: bytes, at: cursor.offset, count: count, marker: marker, of: "a fetch request")
    return try records.map { record throws(ModelFileError) in
      try OptimizedRequest(from: record)
    }
  }

  private init(from record: OptimizedCursor) throws(ModelFileError) {
    var cursor = record
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

extension OptimizedRequest {
  /// The result type, from three bits of the flags.
  var resultType: NSFetchRequestResultType {
    NSFetchRequestResultType(rawValue: UInt(flags >> 3 & 7))
  }

  /// The Boolean settings, as in archives.
  var requestFlags: FetchRequestFlags {
    var result: FetchRequestFlags = []
    if flags & 0x01 != 0 { result.insert(.returnsDistinctResults) }
    if flags & 0x02 != 0 { result.insert(.includesSubentities) }
    if flags & 0x04 != 0 { result.insert(.includesPropertyValues) }
    if flags & 0x40 != 0 { result.insert(.returnsObjectsAsFaults) }
    // Requests for dictionaries never include pending changes, regardless of the bit.
    if flags & 0x80 == 0, resultType != .dictionaryResultType {
      result.insert(.includesPendingChanges)
    }
    if flags & 0x400 != 0 { result.insert(.refreshesRefetchedObjects) }
    if flags & 0x1000 != 0 { result.insert(.omitsStoreResultCache) }
    return result
  }
}
