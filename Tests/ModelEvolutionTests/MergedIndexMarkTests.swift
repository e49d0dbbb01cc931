import DataModels
import Foundation
import ModelEvolution
import ModelSource
import Testing

/// Merges of attributes marked as indexed, whose indexes compilers name after them.
@Suite struct MergedIndexMarkTests {
  private func model(_ attributes: String, parent: String = "") throws -> NSManagedObjectModel {
    let source = """
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
          <entity name="Thing" syncable="YES">\(parent)</entity>
          <entity name="Book" parentEntity="Thing" syncable="YES">\(attributes)</entity>
      </model>
      """
    return try SourceModel(data: Data(source.utf8)).model
  }

  private func attribute(_ name: String, _ rest: String = "") -> String {
    "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\" \(rest)/>"
  }

  /// The names of the indexes of each entity, after a merge that must be clean in both directions.
  private func indexes(
    base: NSManagedObjectModel, _ one: NSManagedObjectModel, _ other: NSManagedObjectModel
  ) throws -> [String: [String]] {
    var found: [[String: [String]]] = []
    for (ours, theirs) in [(one, other), (other, one)] {
      let merge = try ModelMerge(base: base, ours: ours, theirs: theirs)
      #expect(merge.conflicts.isEmpty, "\(merge.conflicts)")
      let written = SourceWriter(merged: merge.model, base: base, theirs: theirs).xml
      let compiled = try SourceModel(data: Data(written.utf8)).model
      #expect(ModelDifference(from: merge.model, to: compiled).isEmpty)
      found.append(compiled.entitiesByName.mapValues { $0.indexes.map(\.name) })
    }
    #expect(found[0] == found[1])
    return found[0]
  }

  @Test func anIndexGoesWithTheRenameOfItsAttribute() throws {
    let found = try indexes(
      base: model(attribute("title")), model(attribute("name", "elementID=\"title\"")),
      model(attribute("title", "indexed=\"YES\"")))
    #expect(found == ["Book": ["name"], "Thing": []])
  }

  @Test func aMarkThatIsTakenAwayStaysAwayAfterARename() throws {
    let found = try indexes(
      base: model(attribute("title", "indexed=\"YES\"")),
      model(attribute("name", "indexed=\"YES\" elementID=\"title\"")), model(attribute("title")))
    #expect(found == ["Book": [], "Thing": []])
  }

  @Test func anIndexGoesWithAnAttributeThatMoves() throws {
    let found = try indexes(
      base: model(attribute("title")), model("", parent: attribute("title")),
      model(attribute("title", "indexed=\"YES\"")))
    #expect(found == ["Book": [], "Thing": ["title"]])
  }

  @Test func anAttributeThatBecomesTransientHasNoIndex() throws {
    let found = try indexes(
      base: model(attribute("title")), model(attribute("title", "indexed=\"YES\"")),
      model(attribute("title", "indexed=\"YES\" transient=\"YES\"")))
    #expect(found == ["Book": [], "Thing": []])
  }

  @Test func aCompoundIndexGoesWithTheRenameOfItsAttributes() throws {
    func shelved(_ title: String) -> String {
      attribute("shelf") + title
    }
    let compound = """
      <compoundIndexes><compoundIndex>
        <index value="shelf"/><index value="title"/>
      </compoundIndex></compoundIndexes>
      """
    let found = try indexes(
      base: model(shelved(attribute("title"))),
      model(shelved(attribute("name", "elementID=\"title\""))),
      model(shelved(attribute("title")) + compound))
    #expect(found == ["Book": ["shelf_name"], "Thing": []])
  }
}
