import DataModels
import Foundation
import ModelEvolution
import TestSupport
import Testing

import class PredicateFormat.NSExpression

/// Edits that are compatible fact by fact, but must also be compatible in meaning.
@Suite struct MergeMeaningTests {
  /// A shop whose derived attributes, requests and indexes refer to properties by name.
  private static func shop() -> NSManagedObjectModel {
    let order = entity("Order", [attribute("number", .string), attribute("total", .integer32)])
    let customer = entity("Customer", [attribute("name", .string)])
    relate(customer, "orders", toMany: true, order, "customer", toMany: false)
    return NSManagedObjectModel(of: [customer, order])
  }

  private static func derived(_ name: String, _ expression: String) -> NSDerivedAttributeDescription
  {
    let derived = NSDerivedAttributeDescription()
    derived.name = name
    derived.attributeType = .integer64AttributeType
    derived.derivationExpression = NSExpression(format: expression)
    return derived
  }

  private static func request(
    _ predicate: String, of entity: String, in model: NSManagedObjectModel
  ) -> NSFetchRequest<NSFetchRequestResult> {
    let request = NSFetchRequest<NSFetchRequestResult>()
    request.entity = model.the(entity)
    request.predicate = NSPredicate(format: predicate)
    return request
  }

  private func merge(
    _ base: NSManagedObjectModel = shop(), ours: ModelEdit, theirs: ModelEdit,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ModelMerge {
    let one = edited(base, ours)
    let other = edited(base, theirs)
    let merge = try ModelMerge(base: base, ours: one, theirs: other)
    expectConsistent(merge.model, sourceLocation: sourceLocation)
    let swapped = try ModelMerge(base: base, ours: other, theirs: one)
    #expect(merge.conflicts.isEmpty == swapped.conflicts.isEmpty, sourceLocation: sourceLocation)
    if merge.conflicts.isEmpty {
      #expect(
        ModelOutline(of: merge.model) == ModelOutline(of: swapped.model),
        sourceLocation: sourceLocation)
      #expect(
        !merge.model.findings().contains { $0.severity == .error }, "\(merge.model.findings())",
        sourceLocation: sourceLocation)
    }
    return merge
  }

  // MARK: Inverses

  @Test func anotherDestinationWithAnInverseOfTheSameName() throws {
    let base = Self.shop()
    let side = edited(base) { model in
      model.the("Order").remove("customer")
      let invoice = entity("Invoice")
      let back = relationship("customer", to: model.the("Customer"), max: 1)
      invoice.properties = [back]
      model.entities.append(invoice)
      let orders = model.relationship("orders", of: "Customer")
      orders.destinationEntity = invoice
      link(orders, back)
    }
    try expectLaws(base: base, side: side)
    for (ours, theirs) in [(side, base), (base, side)] {
      let merged = try ModelMerge(base: base, ours: ours, theirs: theirs).model
      #expect(
        merged.relationship("orders", of: "Customer").inverseRelationship?.entity.name == "Invoice")
      #expect(merged.relationship("customer", of: "Invoice").inverseRelationship?.name == "orders")
    }
    let replayed = try ModelDifference(from: base, to: side).applied(to: base)
    #expect(
      replayed.relationship("orders", of: "Customer").inverseRelationship?.entity.name == "Invoice")
  }

  // MARK: Expressions

  private let renamed = ModelMergeTests.rename

  @Test func derivationsFollowARename() throws {
    let merge = try merge(
      ours: renamed("Customer", "orders", "purchases"),
      theirs: {
        $0.the("Customer").properties.append(Self.derived("count", "orders.@count"))
        $0.the("Customer").properties.append(Self.derived("sum", "orders.@sum.total"))
      })
    #expect(merge.conflicts == [])
    let customer = merge.model.the("Customer").propertiesByName
    let count = customer["count"] as? NSDerivedAttributeDescription
    #expect(count?.derivationExpression?.description.contains("purchases") == true)
    let sum = customer["sum"] as? NSDerivedAttributeDescription
    #expect(sum?.derivationExpression?.description.contains("orders") == false)
  }

  @Test func aRenameBehindARelationshipIsFollowed() throws {
    let merge = try merge(
      ours: renamed("Order", "total", "amount"),
      theirs: { model in
        model.the("Customer").properties.append(Self.derived("sum", "orders.@sum.total"))
        model.setFetchRequestTemplate(
          Self.request(
            "ANY orders.total > 5 AND SUBQUERY(orders, $o, $o.total > 5).@count > 1",
            of: "Customer", in: model), forName: "Large")
      })
    #expect(merge.conflicts == [])
    let sum = merge.model.the("Customer").propertiesByName["sum"] as? NSDerivedAttributeDescription
    #expect(sum?.derivationExpression?.description.contains("amount") == true)
    #expect(
      merge.model.fetchRequestTemplate(forName: "Large")?.predicate?.canonicalFormat
        == "ANY orders.amount > 5 AND SUBQUERY(orders, $o, $o.amount > 5).@count > 1")
  }

  @Test func requestsAndIndexesFollowARename() throws {
    let base = edited(Self.shop()) { model in
      let request = Self.request("number == \"1\"", of: "Order", in: model)
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
      request.relationshipKeyPathsForPrefetching = ["customer"]
      model.setFetchRequestTemplate(request, forName: "First")
      let fetched = NSFetchedPropertyDescription()
      fetched.name = "namesakes"
      fetched.fetchRequest = Self.request(
        "name == $FETCH_SOURCE.customer.name", of: "Customer", in: model)
      model.the("Order").properties.append(fetched)
      let numbered = index("numbered", ["total"], in: model.the("Order"))
      numbered.partialIndexPredicate = NSPredicate(format: "number != nil")
      model.the("Order").indexes = [numbered]
    }
    let merge = try merge(
      base,
      ours: {
        renamed("Order", "number", "code")($0)
        renamed("Order", "customer", "buyer")($0)
      }, theirs: { $0.attribute("number", of: "Order").isOptional = false })
    #expect(merge.conflicts == [])
    // Ours changed the expressions; what theirs hasn't changed is ours.
    #expect(
      merge.model.fetchRequestTemplate(forName: "First")?.predicate?.canonicalFormat
        == "number == \"1\"")
    let other = try self.merge(
      base, ours: renamed("Order", "customer", "buyer"),
      theirs: { model in
        let request = Self.request(
          "customer.name == \"A\"", of: "Order", in: model)
        request.sortDescriptors = [NSSortDescriptor(key: "customer.name", ascending: true)]
        request.relationshipKeyPathsForPrefetching = ["customer"]
        request.propertiesToFetch = ["customer"]
        model.setFetchRequestTemplate(request, forName: "New")
        let fetched = NSFetchedPropertyDescription()
        fetched.name = "others"
        fetched.fetchRequest = Self.request(
          "name == $FETCH_SOURCE.customer.name", of: "Customer", in: model)
        model.the("Order").properties.append(fetched)
      })
    #expect(other.conflicts == [])
    let request = other.model.fetchRequestTemplate(forName: "New")
    #expect(request?.predicate?.canonicalFormat == "buyer.name == \"A\"")
    #expect(request?.sortDescriptors?.first?.key == "buyer.name")
    #expect(request?.sortDescriptors?.first?.ascending == true)
    #expect(request?.relationshipKeyPathsForPrefetching == ["buyer"])
    #expect(request?.propertiesToFetch as? [String] == ["buyer"])
    let fetched =
      other.model.the("Order").propertiesByName["others"] as? NSFetchedPropertyDescription
    #expect(
      fetched?.fetchRequest?.predicate?.canonicalFormat == "name == $FETCH_SOURCE.buyer.name")
  }

  @Test func whatAnExpressionUsesIsNotRemoved() throws {
    for expression in ["orders.@count", "orders.@sum.total"] {
      let merge = try merge(
        ours: {
          $0.the("Customer").remove("orders")
          $0.the("Order").remove("customer")
        }, theirs: { $0.the("Customer").properties.append(Self.derived("some", expression)) })
      #expect(merge.conflicts.map(\.summary).contains("removedButUsed Customer.orders"))
      #expect(merge.model.the("Customer").relationshipsByName["orders"] != nil)
    }
    let merge = try merge(
      ours: { $0.the("Order").remove("total") },
      theirs: {
        $0.setFetchRequestTemplate(Self.request("total > 1", of: "Order", in: $0), forName: "Big")
      })
    #expect(merge.conflicts.map(\.summary) == ["removedButUsed Order.total"])
  }

  @Test func aDifferenceTellsOfNoFollowedExpression() throws {
    let base = edited(Self.shop()) {
      $0.the("Customer").properties.append(Self.derived("count", "orders.@count"))
    }
    let side = edited(base) {
      renamed("Customer", "orders", "purchases")($0)
      let count = $0.the("Customer").propertiesByName["count"] as? NSDerivedAttributeDescription
      count?.derivationExpression = NSExpression(format: "purchases.@count")
    }
    let difference = ModelDifference(from: base, to: side)
    #expect(difference.changes.map(\.kind) == [.renamed, .changed])
    #expect(difference.changes.compactMap(\.fact) == ["renamingIdentifier"])
    let replayed = try difference.applied(to: base)
    #expect(replayed.entityVersionHashesByName == side.entityVersionHashesByName)
  }

  // MARK: Several and one

  private static func pets() -> NSManagedObjectModel {
    return NSManagedObjectModel(of: [
      entity("Cat", [attribute("name", .string)]), entity("Dog", [attribute("name", .string)]),
    ])
  }

  private let pulledUp: ModelEdit = { model in
    let pet = entity("Pet", [attribute("name", .string)])
    for name in ["Cat", "Dog"] { model.the(name).remove("name") }
    model.entities.append(pet)
    pet.subentities = [model.the("Cat"), model.the("Dog")]
  }

  @Test func anEditOfOneOfSeveralThatBecameOneIsAConflict() throws {
    for name in ["Cat", "Dog"] {
      let merge = try merge(
        Self.pets(), ours: pulledUp,
        theirs: { $0.attribute("name", of: name).defaultValue = "Tom" })
      #expect(!merge.conflicts.isEmpty, "\(name)")
      #expect(merge.conflicts.allSatisfy { !$0.message.contains("\u{1}") })
      let dropped = try self.merge(
        Self.pets(), ours: pulledUp, theirs: { $0.the(name).remove("name") })
      #expect(!dropped.conflicts.isEmpty, "\(name)")
    }
    let clean = try merge(
      Self.pets(), ours: pulledUp,
      theirs: { $0.the("Cat").properties.append(attribute("a", .string)) })
    #expect(clean.conflicts == [])
  }

  @Test func anEditOfOneThatBecameSeveralIsAConflict() throws {
    let base = edited(Self.pets(), pulledUp)
    let pushedDown: ModelEdit = { model in
      model.the("Pet").remove("name")
      for name in ["Cat", "Dog"] { model.the(name).properties.append(attribute("name", .string)) }
    }
    let merge = try merge(
      base, ours: pushedDown, theirs: { $0.attribute("name", of: "Pet").isOptional = false })
    #expect(merge.conflicts.map(\.kind) == [.regroupedAndChanged])
    try expectLaws(base: base, side: edited(base, pushedDown))
  }

  // MARK: Types

  @Test func whatGoesWithATypeConflictsWithItsChange() throws {
    let retyped: ModelEdit = {
      $0.attribute("total", of: "Order").attributeType = .dateAttributeType
    }
    let edits: [ModelEdit] = [
      { $0.attribute("total", of: "Order").defaultValue = 3 },
      {
        $0.attribute("total", of: "Order").setValidationPredicates(
          [NSPredicate(format: "SELF >= 1")], withValidationWarnings: ["1"])
      },
    ]
    for edit in edits {
      let merge = try merge(ours: retyped, theirs: edit)
      #expect(merge.conflicts.map(\.summary) == ["changedDifferently Order.total type"])
    }
    let merge = try merge(
      ours: retyped, theirs: { $0.attribute("total", of: "Order").isOptional = false })
    #expect(merge.conflicts == [])
  }

  @Test func whatOnlyBothSidesBreakIsAConflict() throws {
    // A constraint that includes an attribute made transient by the other side.
    let merge = try merge(
      ours: { $0.attribute("number", of: "Order").isTransient = true },
      theirs: { $0.the("Order").uniquenessConstraints = [["number"]] })
    #expect(merge.conflicts.map(\.kind) == [.invalid])
  }

  // MARK: Version identifiers

  @Test(arguments: [("2.4", "2.5", "2.5"), ("2.10", "2.9", "2.10"), ("2.3", "2.4", "2.4")])
  func ofTwoVersionIdentifiersTheLaterIsTaken(_ case: (String, String, String)) throws {
    let base = edited(Self.shop()) { $0.versionIdentifiers = ["2.3"] }
    let merge = try merge(
      base, ours: { $0.versionIdentifiers = [`case`.0] },
      theirs: { $0.versionIdentifiers = [`case`.1] })
    #expect(merge.conflicts == [])
    #expect(merge.model.versionIdentifiers == [`case`.2])
  }

  /// Of words, none is later.
  @Test func twoNamesOfVersionsConflict() throws {
    let base = edited(Self.shop()) { $0.versionIdentifiers = ["2.3"] }
    let merge = try merge(
      base, ours: { $0.versionIdentifiers = ["alpha"] },
      theirs: { $0.versionIdentifiers = ["release"] })
    #expect(merge.conflicts.map(\.kind) == [.changedDifferently])
    #expect(merge.model.versionIdentifiers == ["alpha"])
  }

  // MARK: Texts

  /// Texts that are canonically equivalent are equal to Swift, but not to Core Data.
  @Test func otherNormalizationIsAChange() throws {
    let base = edited(Self.shop()) { $0.the("Order").userInfo = ["k": "Caf\u{E9}"] }
    let merge = try merge(
      base, ours: { $0.attribute("number", of: "Order").isTransient = true },
      theirs: { $0.the("Order").userInfo = ["k": "Cafe\u{301}"] })
    #expect(merge.conflicts == [])
    let text = try #require(merge.model.the("Order").userInfo?["k"] as? String)
    #expect(Array(text.unicodeScalars) == Array("Cafe\u{301}".unicodeScalars))
  }
}
