import Foundation
import OrderedCollections
import PredicateFormat
import PropertyLists

/// The objects that an image contains as keyed archives, each decoded once regardless of how often it is used.
struct OptimizedArchives {
  private let tables: OptimizedTables
  private let limits: ArchiveLimits
  private var predicates: [Int: NSPredicate] = [:]
  private var expressions: [Int: PredicateFormat.NSExpression] = [:]
  private var userInfos: [Int: OrderedDictionary<AnyHashable, Any>] = [:]
  private var values: [Int: AttributeValue] = [:]

  init(_ tables: OptimizedTables, limits: ArchiveLimits) {
    self.tables = tables
    self.limits = limits
  }

  mutating func predicate(_ number: Int) throws(ModelFileError) -> NSPredicate? {
    try known(number, in: \.predicates) { decoder, root throws(ArchiveError) in
      try decoder.predicate(root)
    }
  }

  mutating func expression(
    _ number: Int
  ) throws(ModelFileError) -> PredicateFormat.NSExpression? {
    try known(number, in: \.expressions) { decoder, root throws(ArchiveError) in
      try decoder.expressionDescription(root)
    }
  }

  mutating func userInfo(
    _ number: Int
  ) throws(ModelFileError) -> OrderedDictionary<AnyHashable, Any>? {
    try known(number, in: \.userInfos) { decoder, root throws(ArchiveError) in
      try decoder.userInfo(root)
    }
  }

  mutating func value(_ number: Int) throws(ModelFileError) -> AttributeValue? {
    try known(number, in: \.values) { decoder, root throws(ArchiveError) in
      try decoder.defaultValue(root).value
    }
  }

  /// Returns the cached value for an archive, decoding it if necessary.
  private mutating func known<Value>(
    _ number: Int, in memory: WritableKeyPath<OptimizedArchives, [Int: Value]>,
    _ body: (ModelDecoder, Int) throws(ArchiveError) -> Value
  ) throws(ModelFileError) -> Value? {
    if let value = self[keyPath: memory][number] { return value }
    let value = try decode(number, body)
    self[keyPath: memory][number] = value
    return value
  }

  /// Decodes the root object of an archive; `nil` for number 0.
  private func decode<Value>(
    _ number: Int, _ body: (ModelDecoder, Int) throws(ArchiveError) -> Value
  ) throws(ModelFileError) -> Value? {
    guard let bytes = try tables.data(number) else { return nil }
    do {
      let archive = try KeyedArchive(Array(bytes), limits: limits)
      guard let root = archive.topReference() else { return nil }
      return try archive.list.withScanner { scanner throws(ArchiveError) in
        try body(ModelDecoder(archive, scanner), root)
      }
    } catch {
      throw ModelFileError(
        .malformed, "the archive in the file at this place: \(error)", offset: bytes.startIndex)
    }
  }
}
