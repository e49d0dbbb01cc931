import DataModels
import Foundation
import PredicateFormat

/// The entities of transactions and changes, for use in requests. They belong to no store's model.
enum HistoryEntities {
  static let transaction = entity(
    "Transaction",
    [
      ("author", .stringAttributeType), ("bundleID", .stringAttributeType),
      ("contextName", .stringAttributeType), ("processID", .stringAttributeType),
      ("timestamp", .dateAttributeType), ("token", .integer64AttributeType),
      ("transactionNumber", .integer64AttributeType),
    ])
  static let change = entity(
    "Change",
    [
      ("changeID", .integer64AttributeType), ("changedID", .integer64AttributeType),
      ("changedEntity", .integer64AttributeType), ("changeType", .integer64AttributeType),
      ("changedObjectID", .objectIDAttributeType),
    ])

  private static func entity(
    _ name: String, _ attributes: [(String, NSAttributeType)]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = attributes.map { name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    return entity
  }

  static func request(_ entity: NSEntityDescription) -> NSFetchRequest<NSFetchRequestResult> {
    let request = NSFetchRequest<NSFetchRequestResult>()
    request.entity = entity
    return request
  }

  /// A predicate with tokens replaced by the numbers of their last transactions in a store.
  static func resolvingTokens(_ predicate: NSPredicate, in store: String) -> NSPredicate {
    predicate.tree.mapLeaves { leaf in
      guard case .constant(.object(let object)) = leaf,
        let token = object.base as? NSPersistentHistoryToken
      else { return leaf }
      return .constant(.integer(token.numbers[store] ?? 0))
    }.predicate
  }
}

extension NSPersistentHistoryTransaction: KeyValueReadable {
  /// The value of a key, for predicates.
  public func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "author": author.map { .string($0) } ?? .null
    case "bundleID": .string(bundleID)
    case "contextName": contextName.map { .string($0) } ?? .null
    case "processID": .string(processID)
    case "timestamp": .date(timestamp)
    case "token", "transactionNumber": .integer(transactionNumber)
    case "storeID": .string(storeID)
    default: throw .undefinedKey(key, of: self)
    }
  }
}

extension NSPersistentHistoryChange: KeyValueReadable {
  /// The value of a key, for predicates.
  public func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "changeID": .integer(changeID)
    case "changedID": .integer(changedObjectID.key)
    case "changedEntity": .object(OpaqueObject(changedObjectID.entity))
    case "changeType": .integer(Int64(changeType.rawValue))
    case "changedObjectID": .object(OpaqueObject(changedObjectID))
    case "transaction": transaction.map { .object(OpaqueObject($0)) } ?? .null
    default: throw .undefinedKey(key, of: self)
    }
  }
}
