import DataModels
import Foundation
import PredicateFormat
import RelationalSchemas
import TestSupport
import Testing

@Suite struct RelationalSchemaTests {
  private func shop() -> NSManagedObjectModel {
    let orders = relationship("orders", ordered: true)
    let tags = relationship("tags")
    let tagged = relationship("orders")
    let customer = relationship("customer", max: 1, optional: false)
    let party = entity("Party", [attribute("name", optional: false), attribute("id", .uuid)])
    party.isAbstract = true
    let buyer = entity("Customer", [attribute("email", optional: false), orders])
    buyer.uniquenessConstraints = [["email"]]
    let order = entity("Order", [attribute("total", .decimal), customer, tags])
    let tag = entity("Tag", [attribute("title"), tagged])
    (orders.destinationEntity, customer.destinationEntity) = (order, buyer)
    (tags.destinationEntity, tagged.destinationEntity) = (tag, order)
    link(orders, customer)
    link(tags, tagged)
    party.subentities = [buyer]
    return model([party, buyer, order, tag])
  }

  private static func predicate(_ format: String) throws -> NSPredicate {
    NSPredicate(try PredicateTree(parsing: format))
  }

  @Test func tablesAreNamedAfterEntitiesAndColumnsAfterProperties() throws {
    let schema = RelationalSchema(model: shop())
    #expect(schema.tables.map(\.name) == ["Order", "Party", "Tag"])
    let customer = try #require(schema.entities["Customer"])
    let party = schema.table(of: customer)
    #expect(party.columns.map(\.name) == ["id", "name", "email"])
    #expect(party.entityNames == ["Customer"])
    #expect(party.entityType == "Party_entity")
    let order = try #require(schema.entities["Order"])
    #expect(
      schema.table(of: order).columns.map(\.name) == ["customer", "total", "customer_position"])
    #expect(customer.toManys["orders"] == .key(table: 0, column: 0, position: 2))
    #expect(order.toManys["tags"] == .join(0, isOwner: true))
    #expect(schema.entities["Tag"]?.toManys["orders"] == .join(0, isOwner: false))
  }

  @Test func validationBecomesChecksThatNeverSayMore() throws {
    let price = attribute("price", .double)
    let code = attribute("code")
    price.setValidationPredicates([try Self.predicate("SELF >= 0.5")], withValidationWarnings: nil)
    code.setValidationPredicates(
      [try Self.predicate("length >= 2"), try Self.predicate("SELF MATCHES 'a+'")],
      withValidationWarnings: nil)
    let script = RelationalSchema(model: model([entity("Item", [price, code])]))
      .script(in: .postgreSQL)
    #expect(script.contains(#"CHECK ("price" >= 0.5)"#))
    #expect(script.contains(#"CHECK (octet_length("code") >= 2)"#))
    #expect(!script.contains("a+"))
  }

  @Test func namesCantEndTheirQuotes() {
    let hostile = entity("A\"; DROP TABLE x", [attribute("b\"c", default: "o'clock")])
    let script = RelationalSchema(model: model([hostile])).script(in: .sqlite)
    #expect(script.contains("CREATE TABLE \"A\"\"; DROP TABLE x\""))
    #expect(script.contains("\"b\"\"c\" text DEFAULT ('o''clock')"))
  }

  /// To SQL a quotation mark is one whatever follows; to Swift a combining mark makes it another character.
  @Test(arguments: SQLDialect.allCases) func marksDoNotHideQuotationMarks(dialect: SQLDialect) {
    let (name, text) = ("b\"\u{301}c", "ג'\u{5B4}ירפה")
    #expect(dialect.quoted(name).utf8.elementsEqual("\"b\"\"\u{301}c\"".utf8))
    #expect(dialect.literal(text).utf8.elementsEqual("'ג''\u{5B4}ירפה'".utf8))
  }

  @Test func columnsHaveNoNamesOfSystemColumns() {
    let system = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"]
    let schema = RelationalSchema(
      model: model([entity("E", system.map { attribute($0) } + [attribute("Ctid")])]))
    let columns = schema.tables[0].columns
    #expect(columns.allSatisfy { !system.contains($0.name) })
    #expect(Set(columns.map { $0.name.lowercased() }).count == 7)
    #expect(columns.first { $0.property == "xmin" }?.name == "xmin_E")
    // Only those in lowercase are reserved.
    #expect(columns.first { $0.property == "Ctid" }?.name == "Ctid")
    let related = relationship("xmax")
    let other = entity("Other", [])
    related.destinationEntity = other
    let joins = RelationalSchema(model: model([entity("E", [related]), other])).joinTables
    #expect(joins.map(\.memberColumn) == ["xmax_2"])
  }

  @Test func indexesHaveRoomForLongStrings() throws {
    let short = attribute("short")
    short.setValidationPredicates(
      [try Self.predicate("length <= 20")], withValidationWarnings: nil)
    let item = entity(
      "Item", [attribute("long"), attribute("site", .uri), attribute("bytes", .binaryData), short])
    item.indexes = [["long"], ["site", "long"], ["short"], ["bytes"]].map { names in
      NSFetchIndexDescription(
        name: names.joined(),
        elements: names.compactMap { item.attributesByName[$0] }.map {
          NSFetchIndexElementDescription(property: $0, collationType: .binary)
        })
    }
    let schema = RelationalSchema(model: model([item]))
    let script = schema.script(in: .postgreSQL)
    #expect(script.contains(#"ON "Item" (left("long", 600) NULLS FIRST)"#))
    #expect(
      script.contains(#"ON "Item" (left("site", 300) NULLS FIRST, left("long", 300) NULLS FIRST)"#))
    #expect(script.contains(#"ON "Item" ("short" NULLS FIRST)"#))
    #expect(!script.contains(#"ON "Item" ("bytes""#))
    #expect(schema.script(in: .sqlite).contains(#"ON "Item" ("long")"#))
  }

  /// PostgreSQL would cut a longer name, also to that of the join table; tables and indexes share one namespace.
  @Test func joinTablesHaveIndexesOfOtherNames() {
    let other = entity("Other", [])
    let long = [55, 56, 57, 61, 80].map { String(repeating: "a", count: $0) }
    let toMany = (["tags", "twins"] + long).map { name in
      let property = relationship(name)
      property.destinationEntity = other
      return property
    }
    let schema = RelationalSchema(
      model: model([entity("E", toMany), other, entity("E_twins_back", [])]))
    let joins = schema.joinTables
    #expect(joins.count == toMany.count)
    let names = schema.tables.map(\.name) + joins.map(\.name) + joins.map(\.backIndex)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0.utf8.count <= 63 })
    // Those of stores that were made before.
    #expect(joins.first { $0.name == "E_tags" }?.backIndex == "E_tags_back")
    #expect(joins.first { $0.name == "E_\(long[1])" }?.backIndex == "E_\(long[1])_back")
    let script = schema.script(in: .postgreSQL)
    for join in joins {
      #expect(script.contains("CREATE INDEX \"\(join.backIndex)\" ON \"\(join.name)\" ("))
    }
  }

  @Test func longNamesStayDifferent() {
    let long = String(repeating: "a", count: 80)
    let schema = RelationalSchema(
      model: model([entity("E", [attribute(long + "x"), attribute(long + "y")])]))
    let names = schema.tables[0].columns.map(\.name)
    #expect(Set(names).count == 2)
    #expect(names.allSatisfy { $0.utf8.count <= 63 })
  }

  /// PostgreSQL refuses longer labels.
  @Test func longEntitiesHaveLabelsThatFit() {
    let long = String(repeating: "é", count: 40)
    let (one, other) = (
      entity(long + "1", [attribute("code", optional: false)]), entity(long + "2", [])
    )
    one.uniquenessConstraints = [["code"]]
    let root = entity(long, [])
    root.subentities = [one, other]
    let schema = RelationalSchema(model: model([root, one, other]))
    let names = [long, long + "1", long + "2"]
    let labels = names.map(SQLDialect.postgreSQL.label)
    #expect(Set(labels).count == 3)
    #expect(labels.allSatisfy { $0.utf8.count <= 63 && $0.hasPrefix("éé") })
    let script = schema.script(in: .postgreSQL)
    #expect(labels.allSatisfy { script.contains("'\($0)'") })
    #expect(names.allSatisfy { !script.contains("'\($0)'") })
    #expect(schema.script(in: .sqlite).contains("'\(long)1'"))
    #expect(SQLDialect.postgreSQL.label(of: "Party") == "Party")
  }
}
