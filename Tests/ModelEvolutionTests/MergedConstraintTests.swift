import DataModels
import Foundation
import ModelEvolution
import ModelSource
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
}
