import DataModels
import Foundation
import ManagedObjects
import ModelEvolution
import TestSupport
import Testing

/// A model, an edited copy, and the expected verdict on their migration.
struct VerdictCase: Sendable, CustomTestStringConvertible {
  let name: String
  let outcome: MigrationVerdict.Outcome
  let rules: [MigrationRule]
  let prepare: ModelEdit
  let edit: ModelEdit
  var testDescription: String { name }

  init(
    _ name: String, _ outcome: MigrationVerdict.Outcome, _ rules: [MigrationRule],
    from prepare: @escaping ModelEdit = { _ in }, _ edit: @escaping ModelEdit
  ) {
    self.name = name
    self.outcome = outcome
    self.rules = rules
    self.prepare = prepare
    self.edit = edit
  }
}

private typealias Edits = ModelEdit

/// Sets the type of the attribute for this purpose.
private func typed(_ type: NSAttributeDescription.AttributeType) -> ModelEdit {
  { model in
    let book = model.the("Book")
    if book.propertiesByName["value"] == nil { book.properties.append(attribute("value", type)) }
    model.attribute("value", of: "Book").type = type
  }
}

/// Adds a composite attribute.
private func composite(_ standard: Int?) -> ModelEdit {
  { model in
    let value = NSCompositeAttributeDescription()
    value.name = "value"
    value.elements = [attribute("part", .integer32, default: standard)]
    model.the("Book").properties.append(value)
  }
}

private func renamed(_ entity: String, _ old: String, _ new: String) -> ModelEdit {
  { model in
    let property = model.the(entity).propertiesByName[old]
    property?.name = new
    property?.renamingIdentifier = old
  }
}

@Suite struct MigrationVerdictTests {
  static let entities: [VerdictCase] = [
    VerdictCase("nothing", .notNeeded, []) { _ in },
    VerdictCase("entity added", .lightweight, [.entityAdded]) {
      $0.entities.append(entity("Shop", [attribute("name", .string, optional: false)]))
    },
    VerdictCase("entity removed", .lightweight, [.entityRemoved, .relationshipRemoved]) {
      $0.remove("Author")
    },
    VerdictCase("entity renamed", .lightweight, [.entityRenamed]) {
      $0.the("Book").renamingIdentifier = "Book"
      $0.the("Book").name = "Volume"
    },
    VerdictCase(
      "entity renamed twice, first name as identifier", .lightweight, [.entityRenamed],
      from: {
        $0.the("Book").renamingIdentifier = "Book"
        $0.the("Book").name = "Volume"
      }
    ) {
      $0.the("Volume").name = "Tome"
    },
    VerdictCase(
      "entity renamed without identifier", .lightweight,
      [.entityAdded, .entityRemoved, .entityMoved, .propertyMoved]
    ) {
      $0.the("Thing").name = "Item"
    },
    VerdictCase(
      "entity moved below another", .failsWithData,
      [
        .entityMoved, .attributeAdded, .attributeAddedWithDefault, .relationshipAdded,
        .uniquenessAdded,
      ]
    ) {
      $0.the("Thing").subentities = [$0.the("Book")]
      $0.the("Book").subentities = [$0.the("Author")]
    },
    VerdictCase(
      "entity moved out of its hierarchy", .lightweight, [.entityMoved, .attributeRemoved]
    ) {
      $0.the("Thing").subentities = [$0.the("Book")]
    },
    VerdictCase(
      "lone entity moved into a hierarchy", .lightweight, [.entityMoved, .attributeAdded],
      from: { $0.entities.append(entity("Shop")) }
    ) {
      $0.the("Thing").subentities.append($0.the("Shop"))
    },
    VerdictCase(
      "new parent over a hierarchy", .lightweight, [.entityAdded, .entityMoved]
    ) {
      let root = entity("Root")
      $0.entities.append(root)
      root.subentities = [$0.the("Thing")]
    },
    VerdictCase("new child", .lightweight, [.entityAdded]) {
      let novel = entity("Novel")
      $0.entities.append(novel)
      $0.the("Book").subentities = [novel]
    },
    VerdictCase(
      "two lone entities under a new parent", .impossible,
      [.hierarchiesMerged, .entityAdded, .entityMoved],
      from: { $0.entities += [entity("Shop"), entity("Mall")] }
    ) {
      let place = entity("Place")
      $0.entities.append(place)
      place.subentities = [$0.the("Shop"), $0.the("Mall")]
    },
    VerdictCase(
      "two hierarchies merged", .impossible, [.hierarchiesMerged, .entityMoved, .attributeAdded],
      from: {
        let shop = entity("Shop")
        let kiosk = entity("Kiosk")
        $0.entities += [shop, kiosk]
        shop.subentities = [kiosk]
      }
    ) {
      $0.the("Thing").subentities.append($0.the("Shop"))
    },
    VerdictCase(
      "abstract entity made concrete", .lightweight, [.entityConcrete]
    ) { $0.the("Thing").isAbstract = false },
    VerdictCase("concrete entity made abstract", .failsWithData, [.entityAbstract]) {
      $0.the("Author").isAbstract = true
    },
    VerdictCase("entity hash modifier", .lightweight, [.entityModifier]) {
      $0.the("Book").versionHashModifier = "2"
    },
    VerdictCase(
      "two entities with one identifier", .impossible, [.ambiguousIdentifier, .entityAdded]
    ) {
      let volume = entity("Volume")
      let tome = entity("Tome")
      volume.renamingIdentifier = "Gone"
      tome.renamingIdentifier = "Gone"
      $0.entities += [volume, tome]
    },
    VerdictCase("class name", .notNeeded, []) { $0.the("Book").managedObjectClassName = "BookMO" },
    VerdictCase("user info", .notNeeded, []) { $0.the("Book").userInfo = ["a": "b"] },
    VerdictCase("fetch template", .notNeeded, []) {
      $0.fetchRequestTemplate(forName: "AllBooks")?.fetchLimit = 2
    },
    VerdictCase("configuration", .notNeeded, []) {
      $0.setEntities([$0.the("Book")], forConfigurationName: "Books")
    },
    VerdictCase("uniqueness added", .failsWithData, [.uniquenessAdded]) {
      $0.the("Author").uniquenessConstraints = [["name"]]
    },
    VerdictCase("uniqueness changed", .failsWithData, [.uniquenessAdded, .uniquenessRemoved]) {
      $0.the("Book").uniquenessConstraints = [["pages"]]
    },
    VerdictCase("uniqueness removed", .lightweight, [.uniquenessRemoved]) {
      $0.the("Book").uniquenessConstraints = []
    },
    VerdictCase("index added", .notNeeded, []) {
      $0.the("Author").indexes = [index("byName", ["name"], in: $0.the("Author"))]
    },
  ]

  static let attributes: [VerdictCase] = [
    VerdictCase("optional attribute added", .lightweight, [.attributeAdded]) {
      $0.the("Book").properties.append(attribute("a", .string))
    },
    VerdictCase("attribute with default added", .lightweight, [.attributeAddedWithDefault]) {
      $0.the("Book").properties.append(attribute("a", .string, optional: false, default: "x"))
    },
    VerdictCase("mandatory attribute added", .failsWithData, [.attributeAddedMandatory]) {
      $0.the("Book").properties.append(attribute("a", .string, optional: false))
    },
    VerdictCase("mandatory attribute added above", .failsWithData, [.attributeAddedMandatory]) {
      $0.the("Thing").properties.append(attribute("a", .string, optional: false))
    },
    VerdictCase("transient attribute added", .notNeeded, []) {
      let a = attribute("a", .string, optional: false)
      a.isTransient = true
      $0.the("Book").properties.append(a)
    },
    VerdictCase("attribute removed", .lightweight, [.attributeRemoved]) {
      $0.the("Book").remove("pages")
    },
    VerdictCase(
      "attribute renamed", .lightweight, [.propertyRenamed], renamed("Author", "name", "title")),
    VerdictCase(
      "names exchanged by identifiers", .notNeeded, [.renameWithoutEffect],
      from: {
        $0.the("Author").properties += [attribute("first", .string), attribute("last", .string)]
      }
    ) {
      $0.attribute("first", of: "Author").renamingIdentifier = "last"
      $0.attribute("last", of: "Author").renamingIdentifier = "first"
    },
    VerdictCase(
      "attribute renamed without identifier", .lightweight, [.attributeAdded, .attributeRemoved]
    ) { $0.attribute("name", of: "Author").name = "title" },
    VerdictCase(
      "renamed and mandatory without identifier", .failsWithData,
      [.attributeAddedMandatory, .attributeRemoved]
    ) {
      let name = $0.attribute("name", of: "Author")
      name.name = "title"
      name.isOptional = false
    },
    VerdictCase(
      "identifier that leads nowhere", .lightweight, [.identifierLost, .attributeAdded]
    ) {
      $0.attribute("name", of: "Author").renamingIdentifier = "unknown"
      $0.attribute("name", of: "Author").versionHashModifier = "2"
    },
    VerdictCase(
      "two attributes with one identifier", .impossible,
      [.ambiguousIdentifier, .attributeAdded, .propertyRenamed]
    ) {
      for name in ["a", "b"] {
        let a = attribute(name, .integer32)
        a.renamingIdentifier = "pages"
        $0.the("Book").properties.append(a)
      }
      $0.the("Book").remove("pages")
    },
    VerdictCase("attribute moved up", .lightweight, [.propertyMoved, .attributeAdded]) {
      let pages = $0.attribute("pages", of: "Book")
      $0.the("Book").remove("pages")
      $0.the("Thing").properties.append(pages)
    },
    VerdictCase("attribute moved down", .lightweight, [.propertyMoved, .attributeRemoved]) {
      let identifier = $0.attribute("identifier", of: "Thing")
      $0.the("Thing").remove("identifier")
      $0.the("Book").properties.append(identifier)
    },
    VerdictCase("mandatory with default", .lightweight, [.attributeMandatoryWithDefault]) {
      $0.attribute("pages", of: "Book").isOptional = false
      $0.attribute("pages", of: "Book").defaultValue = 0
    },
    VerdictCase("mandatory without default", .failsWithData, [.attributeMandatory]) {
      $0.attribute("pages", of: "Book").isOptional = false
    },
    VerdictCase("optional", .lightweight, [.attributeOptional]) {
      $0.attribute("title", of: "Book").isOptional = true
    },
    VerdictCase("default", .notNeeded, []) { $0.attribute("pages", of: "Book").defaultValue = 3 },
    VerdictCase("hash modifier", .lightweight, [.propertyModifier]) {
      $0.attribute("pages", of: "Book").versionHashModifier = "2"
    },
    VerdictCase("persistent made transient", .lightweight, [.propertyTransient]) {
      $0.attribute("pages", of: "Book").isTransient = true
    },
    VerdictCase(
      "transient made persistent", .lightweight, [.propertyPersistent],
      from: { $0.attribute("pages", of: "Book").isTransient = true }
    ) { $0.attribute("pages", of: "Book").isTransient = false },
    VerdictCase(
      "transient made persistent and mandatory", .failsWithData, [.attributeAddedMandatory],
      from: {
        $0.attribute("pages", of: "Book").isTransient = true
        $0.attribute("pages", of: "Book").isOptional = false
      }
    ) { $0.attribute("pages", of: "Book").isTransient = false },
    VerdictCase(
      "inline made external", .lightweight, [.attributeExternalized], from: typed(.binaryData)
    ) { $0.attribute("value", of: "Book").allowsExternalBinaryDataStorage = true },
    VerdictCase(
      "external made inline", .impossible, [.attributeInlined],
      from: {
        typed(.binaryData)($0)
        $0.attribute("value", of: "Book").allowsExternalBinaryDataStorage = true
      }
    ) { $0.attribute("value", of: "Book").allowsExternalBinaryDataStorage = false },
    VerdictCase("preserved on deletion", .lightweight, [.preservedOnDeletion]) {
      $0.attribute("pages", of: "Book").preservesValueInHistoryOnDeletion = true
    },
    VerdictCase(
      "transformable to binary", .impossible, [.attributeTypeIncompatible],
      from: typed(.transformable), typed(.binaryData)),
    VerdictCase(
      "transformable to binary, allowed", .lightweight, [.attributeTransformed],
      from: typed(.transformable)
    ) {
      typed(.binaryData)($0)
      $0.attribute("value", of: "Book").userInfo = ["NSMigrationAllowTypeTransformation": "1"]
    },
    VerdictCase(
      "binary to transformable, allowed but external", .impossible,
      [.attributeTypeIncompatible, .attributeInlined],
      from: {
        typed(.binaryData)($0)
        $0.attribute("value", of: "Book").allowsExternalBinaryDataStorage = true
      }
    ) {
      typed(.transformable)($0)
      $0.attribute("value", of: "Book").allowsExternalBinaryDataStorage = false
      $0.attribute("value", of: "Book").userInfo = ["NSMigrationAllowTypeTransformation": "1"]
    },
    VerdictCase(
      "composite made mandatory", .failsWithData, [.attributeMandatory, .entityModifier],
      from: composite(nil)
    ) {
      // The version hash doesn't cover whether a composite is optional.
      $0.the("Book").propertiesByName["value"]?.isOptional = false
      $0.the("Book").versionHashModifier = "2"
    },
    VerdictCase("mandatory composite added", .failsWithData, [.attributeAddedMandatory]) {
      composite(nil)($0)
      $0.the("Book").propertiesByName["value"]?.isOptional = false
    },
    VerdictCase(
      "mandatory composite with a default added", .lightweight, [.attributeAddedWithDefault]
    ) {
      composite(3)($0)
      $0.the("Book").propertiesByName["value"]?.isOptional = false
    },
    VerdictCase("validation", .notNeeded, []) {
      $0.attribute("pages", of: "Book").setValidationPredicates(
        [NSPredicate(value: true)], withValidationWarnings: ["never"])
    },
  ]

  static let numbers: [NSAttributeDescription.AttributeType] = [
    .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean,
  ]
  static let others: [NSAttributeDescription.AttributeType] = [
    .string, .date, .binaryData, .uuid, .uri, .transformable,
  ]

  static let types: [VerdictCase] =
    zip(numbers, numbers.dropFirst() + numbers.prefix(1)).map { one, other in
      VerdictCase(
        "\(one.rawValue.label) to \(other.rawValue.label)", .lightweight,
        [
          [.integer16, .integer32, .boolean].contains(one) ? .attributeWidened : .attributeConverted
        ], from: typed(one), typed(other))
    }
    + [(.float, .double), (.integer32, .double), (.integer16, .float), (.boolean, .decimal)].map {
      (one: NSAttributeDescription.AttributeType, other: NSAttributeDescription.AttributeType) in
      VerdictCase(
        "\(one.rawValue.label) to \(other.rawValue.label)", .lightweight, [.attributeWidened],
        from: typed(one), typed(other))
    }
    + [(.integer64, .double), (.integer32, .float), (.integer32, .integer16)].map {
      (one: NSAttributeDescription.AttributeType, other: NSAttributeDescription.AttributeType) in
      VerdictCase(
        "\(one.rawValue.label) to \(other.rawValue.label)", .lightweight, [.attributeConverted],
        from: typed(one), typed(other))
    }
    + others.map { other in
      VerdictCase(
        "\(other.rawValue.label) to integer64", .impossible, [.attributeTypeIncompatible],
        from: typed(other),
        typed(.integer64))
    }
    + zip(others, others.dropFirst()).map { one, other in
      VerdictCase(
        "\(one.rawValue.label) to \(other.rawValue.label)", .impossible,
        [.attributeTypeIncompatible], from: typed(one),
        typed(other))
    }

  static let relationships: [VerdictCase] = [
    VerdictCase("relationships added", .lightweight, [.relationshipAdded]) {
      relate($0.the("Author"), "fans", toMany: true, $0.the("Author"), "idols", toMany: true)
    },
    VerdictCase(
      "mandatory relationship added", .failsWithData,
      [.relationshipAddedMandatory, .relationshipAdded]
    ) {
      relate($0.the("Author"), "first", toMany: false, $0.the("Book"), "firstOf", toMany: false)
        .0.isOptional = false
    },
    VerdictCase("relationship removed", .lightweight, [.relationshipRemoved]) {
      $0.the("Author").remove("books")
      $0.the("Book").remove("author")
    },
    VerdictCase(
      "relationship renamed", .lightweight, [.propertyRenamed], renamed("Author", "books", "works")),
    VerdictCase("to-one made to-many", .lightweight, [.relationshipWidened]) {
      $0.relationship("author", of: "Book").maxCount = 0
    },
    VerdictCase("to-many made to-one", .impossible, [.relationshipNarrowed]) {
      $0.relationship("books", of: "Author").maxCount = 1
    },
    VerdictCase("made ordered", .lightweight, [.relationshipOrder]) {
      $0.relationship("books", of: "Author").isOrdered = true
    },
    VerdictCase(
      "made unordered", .lightweight, [.relationshipOrder],
      from: { $0.relationship("books", of: "Author").isOrdered = true }
    ) { $0.relationship("books", of: "Author").isOrdered = false },
    VerdictCase("relationship made mandatory", .failsWithData, [.relationshipMandatory]) {
      $0.relationship("author", of: "Book").isOptional = false
    },
    VerdictCase(
      "relationship made optional", .lightweight, [.relationshipOptional],
      from: { $0.relationship("author", of: "Book").isOptional = false }
    ) { $0.relationship("author", of: "Book").isOptional = true },
    VerdictCase("bounded", .failsWithData, [.relationshipBounded]) {
      $0.relationship("books", of: "Author").maxCount = 5
    },
    VerdictCase("least count", .failsWithData, [.relationshipBounded]) {
      $0.relationship("books", of: "Author").minCount = 2
    },
    VerdictCase(
      "unbounded", .lightweight, [.relationshipUnbounded],
      from: { $0.relationship("books", of: "Author").maxCount = 5 }
    ) { $0.relationship("books", of: "Author").maxCount = 0 },
    VerdictCase("delete rule", .notNeeded, []) {
      $0.relationship("books", of: "Author").deleteRule = .cascadeDeleteRule
    },
    VerdictCase(
      "destination", .failsWithData, [.relationshipDestination, .relationshipInverse]
    ) {
      let lonely = $0.relationship("author", of: "Book")
      lonely.inverseRelationship = nil
      $0.relationship("books", of: "Author").inverseRelationship = nil
      lonely.destinationEntity = $0.the("Book")
    },
    VerdictCase("destination above", .lightweight, [.relationshipInverse]) {
      let lonely = $0.relationship("author", of: "Book")
      lonely.inverseRelationship = nil
      $0.relationship("books", of: "Author").inverseRelationship = nil
      lonely.destinationEntity = $0.the("Thing")
    },
    VerdictCase(
      "destination of the inverse", .lightweight,
      [.relationshipReferencesLost, .relationshipRemoved, .entityAdded]
    ) {
      let (books, owner) = (
        $0.relationship("books", of: "Author"), relationship("owner", to: $0.the("Author"), max: 1)
      )
      $0.the("Book").remove("author")
      let shop = entity("Shop", [owner])
      $0.entities.append(shop)
      books.destinationEntity = shop
      link(books, owner)
    },
    VerdictCase(
      "a subentity leaves the destination", .failsWithData,
      [.relationshipDestination, .entityMoved, .attributeRemoved],
      from: {
        $0.the("Book").properties.append(relationship("about", to: $0.the("Thing"), max: 1))
      }
    ) { $0.the("Thing").subentities = [$0.the("Book")] },
    VerdictCase(
      "to-one without inverse made to-many", .failsWithData,
      [.relationshipWidened, .relationshipShared],
      from: {
        $0.relationship("author", of: "Book").inverseRelationship = nil
        $0.the("Author").remove("books")
      }
    ) { $0.relationship("author", of: "Book").maxCount = 0 },
    VerdictCase(
      "to-one made to-many with a least count", .failsWithData,
      [.relationshipWidened, .relationshipBounded]
    ) {
      $0.relationship("author", of: "Book").maxCount = 0
      $0.relationship("author", of: "Book").minCount = 2
    },
    VerdictCase("least count of one, optional", .lightweight, [.relationshipUnbounded]) {
      $0.relationship("books", of: "Author").minCount = 1
    },
    VerdictCase("inverse removed", .lightweight, [.relationshipInverse]) {
      $0.relationship("author", of: "Book").inverseRelationship = nil
      $0.relationship("books", of: "Author").inverseRelationship = nil
    },
    VerdictCase("attribute made relationship", .lightweight, [.propertyKind, .relationshipAdded]) {
      $0.the("Author").remove("born")
      let born = relationship("born", to: $0.the("Book"), max: 1)
      $0.the("Author").properties.append(born)
    },
    VerdictCase("fetched property added", .notNeeded, []) {
      let fetched = NSFetchedPropertyDescription()
      fetched.name = "found"
      let request = NSFetchRequest<NSFetchRequestResult>()
      request.entity = $0.the("Book")
      fetched.fetchRequest = request
      $0.the("Author").properties.append(fetched)
    },
  ]

  static let all = entities + attributes + types + relationships

  @Test func theTableIsLongEnough() {
    #expect(Self.all.count >= 60)
    let used = Set(Self.all.flatMap(\.rules))
    let unused = MigrationRule.allCases.filter { !used.contains($0) }
    // Derived and composite attributes have their own tests.
    #expect(Set(unused) == [.attributeDerivation, .attributeElements])
  }

  @Test(arguments: all) func judges(_ pair: VerdictCase) throws {
    let old = edited(libraryModel(), pair.prepare)
    let new = edited(old, pair.edit)
    let verdict = MigrationVerdict(from: old, to: new)
    #expect(verdict.outcome == pair.outcome, "\(verdict.findings.map(\.message))")
    #expect(Set(verdict.findings.map(\.rule)) == Set(pair.rules))
    #expect(verdict.findings.allSatisfy { !$0.message.isEmpty && !$0.rule.basis.isEmpty })
    #expect(
      verdict.findings.filter { $0.rule.effect >= .failsWithData }
        .allSatisfy { $0.suggestion != nil })
    expectMapping(old, new, isPossible: pair.outcome != .impossible)
  }

  /// Each element of a composite has a column, and changes as an attribute does.
  @Test(arguments: [
    (
      NSAttributeDescription.AttributeType.string, MigrationVerdict.Outcome.impossible,
      MigrationRule.attributeTypeIncompatible
    ),
    (.double, .lightweight, .attributeWidened), (.boolean, .lightweight, .attributeConverted),
    (.composite, .impossible, .attributeTypeIncompatible),
  ])
  func elementsChangeTheirTypes(
    _ type: NSAttributeDescription.AttributeType, _ outcome: MigrationVerdict.Outcome,
    _ rule: MigrationRule
  ) throws {
    func model(_ type: NSAttributeDescription.AttributeType, isNested: Bool) -> NSManagedObjectModel
    {
      edited(libraryModel()) { model in
        composite(nil)(model)
        let value = model.attribute("value", of: "Book") as? NSCompositeAttributeDescription
        let part = attribute("part", type)
        value?.elements = [attribute("other", .string), part]
        if type == .composite {
          let inner = NSCompositeAttributeDescription()
          inner.name = "part"
          inner.elements = [attribute("inside", .integer32)]
          value?.elements[1] = inner
        }
        guard isNested, let value else { return }
        let inner = NSCompositeAttributeDescription()
        inner.name = "inner"
        inner.elements = value.elements.compactMap { $0.copy() as? NSAttributeDescription }
        value.elements = [inner]
      }
    }
    for isNested in [false, true] {
      let old = model(.integer32, isNested: isNested)
      let new = model(type, isNested: isNested)
      let verdict = MigrationVerdict(from: old, to: new)
      #expect(verdict.outcome == outcome, "\(verdict.findings.map(\.message))")
      let found = verdict.findings.first { $0.rule == rule }
      #expect(found?.path == .property(isNested ? "value.inner.part" : "value.part", of: "Book"))
      expectMapping(old, new, isPossible: outcome != .impossible)
    }
  }

  private func expectMapping(
    _ old: NSManagedObjectModel, _ new: NSManagedObjectModel, isPossible: Bool
  ) {
    do {
      let mapping = try NSMappingModel.inferredMappingModel(
        forSourceModel: old, destinationModel: new)
      #expect(isPossible)
      // An entity that became abstract also has a mapping, which fails if there are objects.
      let concrete = new.entities.filter {
        !$0.isAbstract || old.entitiesByName[$0.name ?? ""]?.isAbstract == false
      }.compactMap(\.name)
      #expect(
        (mapping.entityMappings ?? []).compactMap(\.destinationEntityName) == concrete.sorted())
      for entity in mapping.entityMappings ?? [] {
        #expect(
          entity.sourceEntityVersionHash
            == entity.sourceEntityName.flatMap { old.entityVersionHashesByName[$0] })
        #expect(
          entity.destinationEntityVersionHash
            == entity.destinationEntityName.flatMap { new.entityVersionHashesByName[$0] })
        #expect(mapping.entityMappingsByName[entity.name ?? ""] === entity)
      }
    } catch {
      #expect(!isPossible)
      #expect((error as NSError).code == 134190)
    }
  }
}
