import Foundation
import KeyedArchive
import ManagedModel
import OrderedCollections
import PredicateFormat

/// The objects that an image holds as keyed archives, each decoded once however often it is used.
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
    if let known = predicates[number] { return known }
    predicates[number] = try decode(number) { decoder, root throws(ArchiveError) in
      try decoder.predicate(root)
    }
    return predicates[number]
  }

  mutating func expression(
    _ number: Int
  ) throws(ModelFileError) -> PredicateFormat.NSExpression? {
    if let known = expressions[number] { return known }
    expressions[number] = try decode(number) { decoder, root throws(ArchiveError) in
      try decoder.expressionDescription(root)
    }
    return expressions[number]
  }

  mutating func userInfo(
    _ number: Int
  ) throws(ModelFileError) -> OrderedDictionary<AnyHashable, Any>? {
    if let known = userInfos[number] { return known }
    userInfos[number] = try decode(number) { decoder, root throws(ArchiveError) in
      try decoder.userInfo(root)
    }
    return userInfos[number]
  }

  mutating func value(_ number: Int) throws(ModelFileError) -> AttributeValue? {
    if let known = values[number] { return known }
    values[number] = try decode(number) { decoder, root throws(ArchiveError) in
      try decoder.defaultValue(root).value
    }
    return values[number]
  }

  /// Decodes the root object of an archive; `nil` for number 0.
  private func decode<Value>(
    _ number: Int, _ body: (ModelDecoder, Int) throws(ArchiveError) -> Value
  ) throws(ModelFileError) -> Value? {
    guard let bytes = try tables.data(number) else { return nil }
    do {
      let archive = try KeyedArchive(Array(bytes), limits: limits)
      guard let root = archive.topReference() else { return nil }
      return try body(ModelDecoder(archive), root)
    } catch {
      throw ModelFileError(
        .malformed, "the archive in the file at this place: \(error)", offset: bytes.startIndex)
    }
  }
}
