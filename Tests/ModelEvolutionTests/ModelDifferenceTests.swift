import DataModels
import Foundation
import ModelEvolution
import TestSupport
import Testing

/// An edit and the expected changes.
struct EditCase: Sendable, CustomTestStringConvertible {
  let name: String
  let edit: @Sendable (NSManagedObjectModel) -> Void
  /// Each change as "kind path fact", with a `*` if it changes the hash.
  let expected: [String]
  var testDescription: String { name }

  init(
    _ name: String, _ expected: [String], _ edit: @escaping @Sendable (NSManagedObjectModel) -> Void
  ) {
    self.name = name
    self.expected = expected
    self.edit = edit
  }
}

extension ModelChange {
  var summary: String {
    "\(kind.rawValue) \(path)\(fact.map { " \($0)" } ?? "")\(changesHash ? "*" : "")"
  }
}

@Suite struct ModelDifferenceTests {
  static let cases: [EditCase] = [
    EditCase("nothing", []) { _ in },
    EditCase("optional", ["changed Book.pages optional*"]) {
      $0.attribute("pages", of: "Book").isOptional = false
    },
    EditCase("type", ["changed Book.pages type*"]) {
      $0.attribute("pages", of: "Book").attributeType = .integer64AttributeType
    },
    EditCase("default", ["changed Book.title default"]) {
      $0.attribute("title", of: "Book").defaultValue = "untitled"
    },
    EditCase("user info", ["changed Book userInfo"]) { $0.the("Book").userInfo = ["key": "value"] },
    EditCase("class", ["changed Book className"]) { $0.the("Book").managedObjectClassName = "B" },
    EditCase("abstract", ["changed Thing abstract*"]) { $0.the("Thing").isAbstract = false },
    EditCase("modifier", ["changed Book versionHashModifier*"]) {
      $0.the("Book").versionHashModifier = "2"
    },
    EditCase("constraint", ["changed Book uniquenessConstraints*"]) {
      $0.the("Book").uniquenessConstraints = [["title", "pages"]]
    },
    EditCase("delete rule", ["changed Author.books deleteRule"]) {
      $0.relationship("books", of: "Author").deleteRule = .cascadeDeleteRule
    },
    EditCase("ordered", ["changed Author.books ordered*"]) {
      $0.relationship("books", of: "Author").isOrdered = true
    },
    EditCase("counts", ["changed Author.books maxCount*"]) {
      $0.relationship("books", of: "Author").maxCount = 5
    },
    EditCase("added attribute", ["added Author.died*"]) {
      $0.the("Author").properties.append(attribute("died", .date))
    },
    EditCase("added transient", ["added Author.age"]) {
      let age = attribute("age", .integer16)
      age.isTransient = true
      $0.the("Author").properties.append(age)
    },
    EditCase("removed attribute", ["removed Author.born*"]) { $0.the("Author").remove("born") },
    EditCase(
      "renamed attribute",
      ["renamed Author.birthday*", "changed Author.birthday renamingIdentifier"]
    ) {
      let born = $0.attribute("born", of: "Author")
      born.name = "birthday"
      born.renamingIdentifier = "born"
    },
    EditCase(
      "renamed attribute under constraint and index",
      ["renamed Book.heading*", "changed Book.heading renamingIdentifier"]
    ) {
      let title = $0.attribute("title", of: "Book")
      title.name = "heading"
      title.renamingIdentifier = "title"
      $0.the("Book").uniquenessConstraints = [["heading"]]
      $0.the("Book").indexes = [index("byTitle", ["heading"], in: $0.the("Book"))]
    },
    EditCase("renamed entity", ["renamed Volume*", "changed Volume renamingIdentifier"]) {
      $0.the("Book").renamingIdentifier = "Book"
      $0.the("Book").name = "Volume"
    },
    EditCase("renamed inverse", ["renamed Book.writer*", "changed Book.writer renamingIdentifier"])
    {
      let author = $0.relationship("author", of: "Book")
      author.name = "writer"
      author.renamingIdentifier = "author"
    },
    EditCase("moved up", ["moved Thing.born*"]) {
      let born = $0.attribute("born", of: "Author")
      $0.the("Author").remove("born")
      $0.the("Thing").properties.append(born)
    },
    EditCase("moved down", ["moved Book.identifier*"]) {
      let identifier = $0.attribute("identifier", of: "Thing")
      $0.the("Thing").remove("identifier")
      $0.the("Book").properties.append(identifier)
    },
    EditCase("new parent", ["moved Author superentity*"]) {
      $0.the("Thing").subentities = [$0.the("Book")]
      $0.the("Book").subentities = [$0.the("Author")]
    },
    EditCase("other kind", ["removed Author.born*", "added Author.born*"]) {
      $0.the("Author").remove("born")
      let born = relationship("born", to: $0.the("Book"))
      $0.the("Author").properties.append(born)
    },
    EditCase("index", ["added Author[byName]"]) {
      $0.the("Author").indexes = [index("byName", ["name"], in: $0.the("Author"))]
    },
    EditCase("template", ["changed fetch request AllBooks fetchLimit"]) {
      $0.fetchRequestTemplate(forName: "AllBooks")?.fetchLimit = 3
    },
    EditCase("configuration", ["changed configuration Main members", "added configuration Cloud"]) {
      $0.setEntities([$0.the("Author")], forConfigurationName: "Cloud")
      $0.setEntities([$0.the("Author"), $0.the("Book")], forConfigurationName: "Main")
    },
    EditCase("version identifier", ["changed model versionIdentifiers"]) {
      $0.versionIdentifiers = ["2.0"]
    },
    EditCase(
      "added entity",
      ["added Shop*", "added Shop.books*", "added Book.shop*"].sorted()
    ) {
      let shop = entity("Shop")
      $0.entities.append(shop)
      relate(shop, "books", toMany: true, $0.the("Book"), "shop", toMany: true)
    },
  ]

  @Test(arguments: cases) func showsTheEdit(_ edit: EditCase) throws {
    let old = libraryModel()
    let new = edited(old, edit.edit)
    let difference = ModelDifference(from: old, to: new)
    #expect(difference.changes.map(\.summary).sorted() == edit.expected.sorted())
    #expect(difference.changes.allSatisfy { !$0.reason.isEmpty })
    #expect(
      difference.changesHash == (old.entityVersionHashesByName != new.entityVersionHashesByName))

    // The entities reported as having a different hash are those that do.
    var changed = Set(difference.changes.filter(\.changesHash).compactMap(\.path.entityName))
    changed.formUnion(difference.entitiesChangedByReference)
    let before = old.entityVersionHashesByName
    let after = new.entityVersionHashesByName
    for name in Set(before.keys).union(after.keys) {
      // A renamed entity is counted under its new name.
      let isRenamed = difference.changes.contains {
        $0.kind == .renamed && $0.oldPath?.name == name
      }
      #expect(changed.contains(name) == (before[name] != after[name]) || isRenamed, "\(name)")
    }
  }

  @Test(arguments: cases) func replaysAndUndoes(_ edit: EditCase) throws {
    let old = libraryModel()
    let new = edited(old, edit.edit)
    let forward = try ModelDifference(from: old, to: new).applied(to: old)
    #expect(ModelOutline(of: forward) == ModelOutline(of: new))
    #expect(forward.entityVersionHashesByName == new.entityVersionHashesByName)
    let back = try ModelDifference(from: new, to: old).applied(to: new)
    #expect(ModelOutline(of: back) == ModelOutline(of: old))
    #expect(back.entityVersionHashesByName == old.entityVersionHashesByName)
    #expect(ModelDifference(from: old, to: libraryModel()).isEmpty)
  }

  /// An entity or property takes the name of one that is removed, whichever of the two is met first.
  @Test(arguments: [false, true]) func takesTheNameOfWhatIsRemoved(isReverse: Bool) throws {
    func model(_ names: [(entity: String, identifier: String?, properties: [String])])
      -> NSManagedObjectModel
    {
      let model = NSManagedObjectModel()
      model.entities = names.map { name, identifier, properties in
        let entity = NSEntityDescription()
        (entity.name, entity.renamingIdentifier) = (name, identifier)
        entity.properties = properties.map { key in
          let attribute = NSAttributeDescription()
          (attribute.name, attribute.attributeType) = (key, .stringAttributeType)
          attribute.isOptional = true
          return attribute
        }
        return entity
      }
      return model
    }
    let models = [
      model([("Purchase", "Order", ["sum", "date"]), ("Sale", nil, ["date", "price"])]),
      model([("Purchase", nil, ["price", "date"]), ("Sale", "Order", ["date", "sum", "tax"])]),
    ]
    let (old, new) = isReverse ? (models[1], models[0]) : (models[0], models[1])
    let replayed = try ModelDifference(from: old, to: new).applied(to: old)
    #expect(ModelOutline(of: replayed) == ModelOutline(of: new))
    #expect(replayed.entityVersionHashesByName == new.entityVersionHashesByName)
  }

  @Test func textsAreShownWithoutWhatTurnsOrHidesText() {
    let value = ModelValue.text("a\u{202E}b\u{1B}\"\n")
    #expect(value.description == "\"a\\u{202E}b\\u{1B}\\\"\\n\"")
  }

  @Test func refusesWhatDoesNotApply() throws {
    let old = libraryModel()
    let new = edited(old) { $0.the("Author").remove("born") }
    let difference = ModelDifference(from: old, to: new)
    #expect(throws: EvolutionError.self) { try difference.applied(to: new) }
    #expect(throws: EvolutionError.self) { try difference.applied(to: NSManagedObjectModel()) }
  }
}
