import Foundation
import ModelListing

/// A model that uses every feature of listings, as plain data.
enum ShopSchema {
  typealias Property = ModelSchema.Property

  static let model = ModelSchema(
    versionIdentifiers: ["1.2"], checksum: "c2hvcA==",
    compiler: .init(toolVersion: 22758, xcodeVersion: 150400),
    entities: [customer, item, order],
    configurations: [.init(name: "Cloud", entities: ["Customer", "Order"])],
    fetchRequestTemplates: [bigOrders],
    localizationDictionary: ["Property/total/Entity/Order": "Total"])

  static let customer = ModelSchema.Entity(
    name: "Customer", className: "Shop.Customer",
    properties: [
      Property(
        .init(name: "address"),
        .attribute(
          .init(
            type: .init(rawValue: 2100),
            elements: [
              Property(.init(name: "city"), .attribute(.init(type: .init(rawValue: 700)))),
              Property(
                .init(name: "zip", isOptional: false),
                .attribute(.init(type: .init(rawValue: 100), defaultValue: .integer(0)))),
            ]))),
      Property(
        .init(
          name: "name", isOptional: false, isIndexedBySpotlight: true,
          validation: [
            .init(predicate: "length >= 1", warning: .integer(1670)),
            .init(predicate: "SELF MATCHES \"[a-z]+\"", warning: .string("lower case only")),
          ],
          renamingIdentifier: "fullName", versionHashModifier: "2",
          userInfo: ["hint": .string("shown \"first\"\n")]),
        .attribute(.init(type: .init(rawValue: 700), defaultValue: .string("?")))),
      Property(
        .init(name: "orderCount", isReadOnly: true),
        .attribute(
          .init(
            type: .init(rawValue: 300),
            derivation: .init(expression: "count:(orders)", filter: "TRUEPREDICATE")))),
      Property(
        .init(name: "orders"),
        .relationship(
          .init(
            destination: "Order", inverse: "customer", deleteRule: .cascade, maxCount: 10,
            isOrdered: true))),
      Property(
        .init(name: "recent", isTransient: true, isReadOnly: true),
        .fetchedProperty(
          .init(
            fetchRequest: .init(
              entity: "Order", predicate: "customer == $FETCH_SOURCE",
              sortDescriptors: [.init(key: "date", isAscending: false)], fetchLimit: 5)))),
    ],
    indexes: [
      .init(
        name: "byName",
        elements: [
          .init(name: "name"),
          .init(
            name: "expression1",
            expression: .init(
              expression: "lowercase:(name)", resultType: .init(rawValue: 700)),
            collation: .rTree, isAscending: false),
        ],
        predicate: "name != nil")
    ],
    uniquenessConstraints: [["name", "address"]], userInfo: ["table": .integer(7)])

  static let item = ModelSchema.Entity(
    name: "Item", isAbstract: true, subentities: ["Order"],
    properties: [
      Property(
        .init(name: "price", isOptional: false),
        .attribute(
          .init(
            type: .init(rawValue: 400),
            defaultValue: .decimal(Decimal(sign: .plus, exponent: -2, significand: 1050))))),
      Property(
        .init(name: "thumbnail"),
        .attribute(
          .init(
            type: .init(rawValue: 1800), valueClassName: "UIImage",
            valueTransformerName: "NSSecureUnarchiveFromData",
            allowsExternalBinaryDataStorage: true, preservesValueInHistoryOnDeletion: true,
            allowsCloudEncryption: true))),
    ],
    compoundIndexes: [["price", "thumbnail"]], coreSpotlightDisplayName: "name")

  static let order = ModelSchema.Entity(
    name: "Order", superentity: "Item",
    properties: [
      Property(
        .init(name: "customer", isOptional: false),
        .relationship(
          .init(destination: "Customer", inverse: "orders", minCount: 1, maxCount: 1))),
      Property(
        .init(name: "date", isIndexed: true, isStoredInExternalRecord: true),
        .attribute(.init(type: .init(rawValue: 900), defaultValue: .date(0)))),
    ],
    renamingIdentifier: "Purchase", versionHashModifier: "x")

  static let bigOrders: ModelSchema.FetchRequest = {
    var request = ModelSchema.FetchRequest(
      name: "bigOrders", entity: "Order", predicate: "price > 100", fetchBatchSize: 20,
      resultType: .managedObjectIDs)
    request.returnsDistinctResults = true
    return request
  }()
}
