import DataModels
import Foundation
import ModelEvolution
import ModelSource
import TestSupport
import Testing

/// Merges of uniqueness constraints, which are identified by their attributes.
@Suite struct MergedConstraintTests {
  /// A book with uniqueness constraints, each given as attributes separated by commas.
  private func book(_ constraints: String...) throws -> NSManagedObjectModel {
    let attributes = ["shelf", "title", "year"].map {
      "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>"
    }
    let written = constraints.map { constraint in
      let parts = constraint.split(separator: ",").map { "<constraint value=\"\($0)\"/>" }
      return "<uniquenessConstraint>\(parts.joined())</uniquenessConstraint>"
    }
    let source = """
      <model><entity name="Book">\(attributes.joined())
      <uniquenessConstraints>\(written.joined())</uniquenessConstraints></entity></model>
      """
    return try SourceModel(data: Data(source.utf8)).model
  }

  @Test func oneThatASideEditsAndTheOtherRemovesOrEditsIsAConflict() throws {
    for (ours, theirs) in try [
      (book(), book("shelf,title")), (book("shelf,title"), book()),
      (book("shelf,title"), book("title,year")),
    ] {
      let merge = try ModelMerge(base: book("title"), ours: ours, theirs: theirs)
      #expect(merge.conflicts.map(\.fact) == ["uniquenessConstraints"])
    }
  }

  @Test func othersMergeOneByOne() throws {
    let merge = try ModelMerge(
      base: book("title", "year"), ours: book("year", "shelf"), theirs: book("title", "year,shelf"))
    #expect(merge.conflicts.isEmpty)
    let merged = merge.model.entitiesByName["Book"]?.uniquenessConstraints as? [[String]]
    #expect(Set(merged ?? []) == [["shelf"], ["year", "shelf"]])
  }

  // MARK: Hierarchies

  /// A parent and its child, with the constraints of each.
  private static func hierarchy(
    _ parent: [[String]], child name: String, _ child: [[String]]
  ) -> NSManagedObjectModel {
    let vehicle = entity("Vehicle", [attribute("vin"), attribute("plate")])
    let below = entity(name, [attribute("doors")])
    vehicle.subentities = [below]
    vehicle.uniquenessConstraints = parent
    below.ownUniquenessConstraints = child
    return NSManagedObjectModel(of: [vehicle, below])
  }

  /// Differences are applied entity by entity, in the order of their names.
  @Test(arguments: ["Car", "Wagon"]) func oneThatMovesBetweenParentAndChildIsKept(
    child: String
  ) throws {
    let above = Self.hierarchy([["vin"], ["plate"]], child: child, [])
    let below = Self.hierarchy([["plate"]], child: child, [["vin"]])
    try expectReplay(from: above, to: below)
    try expectReplay(from: below, to: above)
  }

  /// Ours moves a constraint down, theirs adds another one there.
  @Test func oneThatASideMovesIsKeptBesideAnother() throws {
    let base = Self.hierarchy([["vin"]], child: "Car", [])
    let ours = Self.hierarchy([], child: "Car", [["vin"]])
    let theirs = Self.hierarchy([["vin"]], child: "Car", [["doors"]])
    for (mine, yours) in [(ours, theirs), (theirs, ours)] {
      let merge = try ModelMerge(base: base, ours: mine, theirs: yours)
      #expect(merge.conflicts.isEmpty, "\(merge.conflicts)")
      #expect(merge.model.entitiesByName["Vehicle"]?.ownUniquenessConstraints == [])
      let merged = merge.model.entitiesByName["Car"]?.ownUniquenessConstraints
      #expect(Set(merged ?? []) == [["vin"], ["doors"]])
    }
  }

  /// An entity that leaves its parent has the constraint itself that it had inherited.
  @Test func oneOfAnEntityThatLeavesItsParentIsKept() throws {
    func model(isInside: Bool) -> NSManagedObjectModel {
      let document = entity("Document", [attribute("number")])
      let invoice = entity("Invoice", [attribute("sum")])
      document.uniquenessConstraints = [["number"]]
      if isInside {
        document.subentities = [invoice]
      } else {
        invoice.properties.append(attribute("number"))
        invoice.uniquenessConstraints = [["number"]]
      }
      return NSManagedObjectModel(of: [document, invoice])
    }
    try expectReplay(from: model(isInside: true), to: model(isInside: false))
    try expectReplay(from: model(isInside: false), to: model(isInside: true))
  }

  @Test func randomMovesAreReplayed() throws {
    var moved = 0
    for seed in Trials.seeds(40) {
      let base = RandomModel(
        seed: seed, entities: 3...8, attributes: 1...4, features: [.inheritance, .uniqueness]
      ).model()
      var moves = ConstraintMoves(seed: seed)
      let next = moves.edited(base, tries: 8)
      if ModelOutline(of: base) != ModelOutline(of: next) { moved += 1 }
      try expectReplay(from: base, to: next)
      try expectReplay(from: next, to: base)
    }
    #expect(moved > 0)
  }

  /// The difference of two models makes one of the other, and so does its merge with the unchanged one.
  private func expectReplay(
    from old: NSManagedObjectModel, to new: NSManagedObjectModel,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let replayed = try ModelDifference(from: old, to: new).applied(to: old)
    let merges = try [
      ModelMerge(base: old, ours: old, theirs: new), ModelMerge(base: old, ours: new, theirs: old),
    ]
    #expect(merges.flatMap(\.conflicts) == [], sourceLocation: sourceLocation)
    for model in [replayed] + merges.map(\.model) {
      #expect(ModelOutline(of: model) == ModelOutline(of: new), sourceLocation: sourceLocation)
      #expect(
        model.entityVersionHashesByName == new.entityVersionHashesByName,
        sourceLocation: sourceLocation)
    }
  }
}
