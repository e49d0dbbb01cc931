import DataModels
import Foundation
import ModelEvolution
import TestSupport
import Testing

typealias ModelEdit = @Sendable (NSManagedObjectModel) -> Void

/// Two edits, and the expected result of their merge.
struct MergeCase: Sendable, CustomTestStringConvertible {
  let name: String
  let ours: ModelEdit
  let theirs: ModelEdit
  /// Each conflict as "kind path fact"; empty for a clean merge.
  let conflicts: [String]
  var testDescription: String { name }

  init(
    _ name: String, _ conflicts: [String] = [], ours: @escaping ModelEdit,
    theirs: @escaping ModelEdit
  ) {
    self.name = name
    self.ours = ours
    self.theirs = theirs
    self.conflicts = conflicts
  }
}

extension MergeConflict {
  var summary: String { "\(kind.rawValue) \(path)\(fact.map { " \($0)" } ?? "")" }
}

@Suite struct ModelMergeTests {
  static let rename: @Sendable (String, String, String) -> ModelEdit = { entity, old, new in
    { model in
      let property = model.the(entity).propertiesByName[old]
      property?.name = new
      property?.renamingIdentifier = old
    }
  }

  static let clean: [MergeCase] = [
    MergeCase(
      "two facts of one attribute", ours: { $0.attribute("pages", of: "Book").isOptional = false },
      theirs: { $0.attribute("pages", of: "Book").defaultValue = 1 }),
    MergeCase(
      "two new attributes", ours: { $0.the("Book").properties.append(attribute("a", .string)) },
      theirs: { $0.the("Book").properties.append(attribute("b", .string)) }),
    MergeCase(
      "the same new attribute twice",
      ours: { $0.the("Book").properties.append(attribute("a", .string)) },
      theirs: { $0.the("Book").properties.append(attribute("a", .string)) }),
    MergeCase(
      "rename and edit", ours: rename("Author", "born", "birthday"),
      theirs: { $0.attribute("born", of: "Author").isOptional = false }),
    MergeCase(
      "rename of an entity and a new relationship to it",
      ours: {
        $0.the("Book").renamingIdentifier = "Book"
        $0.the("Book").name = "Volume"
      },
      theirs: {
        relate($0.the("Author"), "favourites", toMany: true, $0.the("Book"), "fans", toMany: true)
      }),
    MergeCase(
      "rename of an inverse and edit of the relationship", ours: rename("Book", "author", "writer"),
      theirs: { $0.relationship("books", of: "Author").deleteRule = .cascadeDeleteRule }),
    MergeCase(
      "move and edit",
      ours: {
        let born = $0.attribute("born", of: "Author")
        $0.the("Author").remove("born")
        $0.the("Thing").properties.append(born)
      }, theirs: { $0.attribute("born", of: "Author").isOptional = false }),
    MergeCase(
      "user info of different keys", ours: { $0.the("Book").userInfo = ["a": "1"] },
      theirs: { $0.the("Book").userInfo = ["b": "2"] }),
    MergeCase(
      "constraints", ours: { $0.the("Book").uniquenessConstraints = [["title"], ["pages"]] },
      theirs: { $0.the("Book").uniquenessConstraints = [["title", "pages"]] }),
    MergeCase(
      "members of a configuration",
      ours: {
        let shop = entity("Shop")
        $0.entities.append(shop)
        $0.setEntities($0.entities, forConfigurationName: "Main")
      },
      theirs: {
        let mall = entity("Mall")
        $0.entities.append(mall)
        $0.setEntities($0.entities, forConfigurationName: "Main")
      }),
    MergeCase(
      "removed entity and edit elsewhere", ours: { $0.remove("Author") },
      theirs: { $0.attribute("pages", of: "Book").isOptional = false }),
  ]

  static let contradicting: [MergeCase] = [
    MergeCase(
      "types", ["changedDifferently Book.pages type"],
      ours: { $0.attribute("pages", of: "Book").attributeType = .integer16AttributeType },
      theirs: { $0.attribute("pages", of: "Book").attributeType = .integer64AttributeType }),
    MergeCase(
      "names",
      ["changedDifferently Author.a renamingIdentifier", "renamedDifferently Author.a"]
        .filter { $0.hasPrefix("renamed") },
      ours: rename("Author", "born", "a"), theirs: rename("Author", "born", "b")),
    MergeCase(
      "removed and changed", ["removedAndChanged Author.born"],
      ours: { $0.the("Author").remove("born") },
      theirs: { $0.attribute("born", of: "Author").isOptional = false }),
    MergeCase(
      "changed and removed", ["removedAndChanged Author.born"],
      ours: { $0.attribute("born", of: "Author").isOptional = false },
      theirs: { $0.the("Author").remove("born") }),
    MergeCase(
      "added differently", ["addedDifferently Book.a type"],
      ours: { $0.the("Book").properties.append(attribute("a", .string)) },
      theirs: { $0.the("Book").properties.append(attribute("a", .date)) }),
    MergeCase(
      "added as another kind", ["addedDifferently Book.a"],
      ours: { $0.the("Book").properties.append(attribute("a", .string)) },
      theirs: {
        let a = relationship("a", to: $0.the("Author"))
        $0.the("Book").properties.append(a)
      }),
    MergeCase(
      "removed entity used anew",
      ["removedButUsed Book"],
      ours: { $0.remove("Book") },
      theirs: {
        let shelf = entity("Shelf")
        $0.entities.append(shelf)
        relate(shelf, "books", toMany: true, $0.the("Book"), "shelf", toMany: false)
      }),
    MergeCase(
      "name taken by an addition", ["nameTaken Author.birthday_theirs"],
      ours: { $0.the("Author").properties.append(attribute("birthday", .date)) },
      theirs: rename("Author", "born", "birthday")),
    MergeCase(
      "name taken by inheritance", ["nameTaken Author.age_theirs"],
      ours: { $0.the("Thing").properties.append(attribute("age", .integer16)) },
      theirs: { $0.the("Author").properties.append(attribute("age", .integer16)) }),
    MergeCase(
      "parents in a circle", ["hierarchyCycle Author superentity"],
      ours: {
        $0.the("Thing").subentities = [$0.the("Author")]
        $0.the("Author").subentities = [$0.the("Book")]
      },
      theirs: {
        $0.the("Thing").subentities = [$0.the("Book")]
        $0.the("Book").subentities = [$0.the("Author")]
      }),
    MergeCase(
      "inverses paired differently",
      ["changedDifferently Book.author inverse", "inverseNotMutual Author.works inverse"],
      ours: {
        let books = $0.relationship("books", of: "Author")
        let author = $0.relationship("author", of: "Book")
        let written = relationship("written", to: $0.the("Book"))
        $0.the("Author").properties.append(written)
        books.inverseRelationship = nil
        written.inverseRelationship = author
        author.inverseRelationship = written
      },
      theirs: {
        let books = $0.relationship("books", of: "Author")
        let author = $0.relationship("author", of: "Book")
        let works = relationship("works", to: $0.the("Book"))
        $0.the("Author").properties.append(works)
        books.inverseRelationship = nil
        works.inverseRelationship = author
        author.inverseRelationship = works
      }),
    MergeCase(
      "user info of one key", ["changedDifferently Book userInfo"],
      ours: { $0.the("Book").userInfo = ["a": "1"] },
      theirs: { $0.the("Book").userInfo = ["a": "2"] }),
  ]

  @Test(arguments: clean) func mergesCleanly(_ merge: MergeCase) throws {
    let base = libraryModel()
    let one = edited(base, merge.ours)
    let other = edited(base, merge.theirs)
    let merged = try ModelMerge(base: base, ours: one, theirs: other)
    #expect(merged.conflicts == [])
    expectConsistent(merged.model)
    let swapped = try ModelMerge(base: base, ours: other, theirs: one)
    #expect(ModelOutline(of: swapped.model) == ModelOutline(of: merged.model))
    // No edit is lost: neither what ours changed nor what theirs changed still differs.
    for side in [one, other] {
      let edits = Set(ModelDifference(from: base, to: side).changes.filter { $0.fact != nil })
      let undone = ModelDifference(from: merged.model, to: base).changes
      for edit in edits where edit.fact != "members" && edit.fact != "userInfo" {
        #expect(
          !undone.contains {
            $0.path == edit.path && $0.fact == edit.fact && $0.oldValue == edit.oldValue
          })
      }
    }
  }

  @Test(arguments: contradicting) func reportsContradictions(_ merge: MergeCase) throws {
    let base = libraryModel()
    let one = edited(base, merge.ours)
    let other = edited(base, merge.theirs)
    let merged = try ModelMerge(base: base, ours: one, theirs: other)
    #expect(merged.conflicts.map(\.summary).sorted() == merge.conflicts.sorted())
    expectConsistent(merged.model)
    #expect(
      merged.conflicts.allSatisfy {
        !$0.message.contains("\u{1}") && !$0.message.contains("\u{1F}")
      })
    let swapped = try ModelMerge(base: base, ours: other, theirs: one)
    #expect(!swapped.conflicts.isEmpty)
    expectConsistent(swapped.model)
  }

  @Test(arguments: clean + contradicting) func obeysTheLaws(_ merge: MergeCase) throws {
    let base = libraryModel()
    for side in [edited(base, merge.ours), edited(base, merge.theirs)] {
      try expectLaws(base: base, side: side)
    }
  }

  @Test(arguments: 0..<25) func obeysTheLawsOnRandomEdits(_ seed: Int) throws {
    let base = libraryModel()
    var edits = RandomEdits(seed: UInt64(seed), tag: "O")
    let ours = edited(base) { edits.edit($0, times: 12) }
    try expectLaws(base: base, side: ours)
    let difference = ModelDifference(from: base, to: ours)
    #expect(ModelOutline(of: try difference.applied(to: base)) == ModelOutline(of: ours))
    var others = RandomEdits(seed: UInt64(seed) + 1000, tag: "T")
    let theirs = edited(base) { others.edit($0, times: 12) }
    let merged = try ModelMerge(base: base, ours: ours, theirs: theirs)
    expectConsistent(merged.model)
  }

  @Test(arguments: 0..<25) func disjointEditsCommute(_ seed: Int) throws {
    let base = libraryModel()
    var edits = RandomEdits(seed: UInt64(seed), tag: "O", scope: ["Author"])
    let ours = edited(base) { edits.edit($0, times: 8) }
    var others = RandomEdits(seed: UInt64(seed), tag: "T", scope: ["Book"])
    let theirs = edited(base) { others.edit($0, times: 8) }
    let merged = try ModelMerge(base: base, ours: ours, theirs: theirs)
    let swapped = try ModelMerge(base: base, ours: theirs, theirs: ours)
    #expect(merged.conflicts == [])
    #expect(swapped.conflicts == [])
    #expect(ModelOutline(of: merged.model) == ModelOutline(of: swapped.model))
    expectConsistent(merged.model)
    #expect(
      ModelDifference(from: base, to: merged.model).changes.count
        == ModelDifference(from: base, to: ours).changes.count
        + ModelDifference(from: base, to: theirs).changes.count)
  }
}

/// merge(b, a, b) = a, merge(b, b, a) = a, merge(b, a, a) = a, without conflicts.
func expectLaws(
  base: NSManagedObjectModel, side: NSManagedObjectModel,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let expected = ModelOutline(of: side)
  for (ours, theirs) in [(side, base), (base, side), (side, side)] {
    let merged = try ModelMerge(base: base, ours: ours, theirs: theirs)
    #expect(merged.conflicts == [], sourceLocation: sourceLocation)
    if ModelOutline(of: merged.model) != expected {
      let rest = ModelDifference(from: side, to: merged.model).changes.map(\.sentence)
      Issue.record("the merge differs from the side: \(rest)", sourceLocation: sourceLocation)
    }
    #expect(
      merged.model.entityVersionHashesByName == side.entityVersionHashesByName,
      sourceLocation: sourceLocation)
  }
}

/// Every reference can be resolved, inverses are mutual, and names are distinct.
func expectConsistent(
  _ model: NSManagedObjectModel, sourceLocation: SourceLocation = #_sourceLocation
) {
  let names = model.entities.compactMap(\.name)
  #expect(Set(names).count == names.count, sourceLocation: sourceLocation)
  for entity in model.entities {
    let own = entity.ownProperties.map(\.name)
    let inherited = entity.superentity?.propertiesByName ?? [:]
    #expect(Set(own).count == own.count, sourceLocation: sourceLocation)
    #expect(
      own.allSatisfy { inherited[$0] == nil }, "\(entity.name ?? "")",
      sourceLocation: sourceLocation)
    for constraint in entity.ownUniquenessConstraints.joined() {
      #expect(entity.attributesByName[constraint] != nil, sourceLocation: sourceLocation)
    }
    for element in entity.indexes.flatMap(\.elements) {
      #expect(element.property?.owningEntity != nil, sourceLocation: sourceLocation)
    }
    for case let relationship as NSRelationshipDescription in entity.ownProperties {
      let destination = relationship.destinationEntity
      #expect(destination?.owningModel === model, sourceLocation: sourceLocation)
      if let inverse = relationship.inverseRelationship {
        #expect(inverse.inverseRelationship === relationship, sourceLocation: sourceLocation)
        #expect(
          destination?.propertiesByName[inverse.name] === inverse, sourceLocation: sourceLocation)
      }
    }
  }
  for name in model.configurations {
    #expect(
      (model.entities(forConfigurationName: name) ?? []).allSatisfy { $0.owningModel === model },
      sourceLocation: sourceLocation)
  }
}
