import DataModels
import Foundation
import ModelEvolution
import ModelSource
import Testing

/// Merges of a changed property with the other side's new uses of it: conditions and expressions written for the
/// unchanged property.
@Suite struct MergedTypeTests {
  private static let pages =
    "<attribute name=\"pages\" optional=\"YES\" attributeType=\"Integer 64\"/>"
  private static let authors =
    "<relationship name=\"authors\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"Author\"/>"

  private func model(_ edits: [(String, String)], in book: String = "", behind: String = "") throws
    -> NSManagedObjectModel
  {
    let source = edits.reduce(
      """
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Author"><attribute name="name" optional="YES" attributeType="String"/></entity>
        <entity name="Book">\(Self.pages)\(Self.authors)\(book)</entity>
        \(behind)
      </model>
      """
    ) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    return try SourceModel(data: Data(source.utf8)).model
  }

  private static func derived(_ expression: String) -> String {
    "<attribute name=\"made\" optional=\"YES\" attributeType=\"Integer 64\" derived=\"YES\" derivationExpression=\"\(expression)\"/>"
  }

  private static func request(_ predicate: String) -> String {
    "<fetchRequest name=\"All\" entity=\"Book\" predicateString=\"\(predicate)\"/>"
  }

  private static func fetched(_ predicate: String) -> String {
    "<fetchedProperty name=\"found\" optional=\"YES\"><fetchRequest name=\"fetchedPropertyFetchRequest\""
      + " entity=\"Book\" predicateString=\"\(predicate)\"/></fetchedProperty>"
  }

  private static func index(_ attributes: String, _ elements: String = "") -> String {
    "<fetchIndex name=\"by\"\(attributes)><fetchIndexElement property=\"authors\" type=\"Binary\""
      + " order=\"ascending\"/>\(elements)</fetchIndex>"
  }

  private static let text = ("Integer 64", "String")
  private static let transient = (
    "name=\"pages\" optional=\"YES\"", "name=\"pages\" optional=\"YES\" transient=\"YES\""
  )
  private static let toOne = ("toMany=\"YES\"", "maxCount=\"1\"")
  private static let number = ("Integer 64", "Integer 32")

  private func kinds(
    _ change: (String, String), _ book: String, _ behind: String = ""
  ) throws -> [String] {
    let retyped = try model([
      (Self.pages, Self.pages.replacingOccurrences(of: change.0, with: change.1)),
      (Self.authors, Self.authors.replacingOccurrences(of: change.0, with: change.1)),
    ])
    let using = try model([], in: book, behind: behind)
    let all = try [(retyped, using), (using, retyped)].map { ours, theirs in
      try ModelMerge(base: model([]), ours: ours, theirs: theirs).conflicts.map {
        "\($0.kind.rawValue) \($0.path)"
      }
    }
    #expect(all[0] == all[1])
    // Somebody who knew both sides' edits would not have created a contradiction.
    let both = try model([
      (Self.pages, Self.pages.replacingOccurrences(of: change.0, with: change.1))
    ])
    #expect(try ModelMerge(base: model([]), ours: both, theirs: both).conflicts.isEmpty)
    return all[0]
  }

  @Test(arguments: [
    (text, derived("pages"), ""), (transient, derived("pages"), ""),
    (number, derived("pages"), ""), (text, "", request("pages &gt; 5")),
    (
      text, "",
      request("ANY authors.name == 'A' AND pages == 5")
    ),
    (transient, "", request("pages == nil")), (text, fetched("pages == $FETCH_SOURCE.pages"), ""),
    (text, index(" partialIndexPredicate=\"pages &gt; 5\""), ""),
  ])
  func anAttributeThatIsNewlyUsedKeepsItsType(
    _ change: (String, String), _ book: String, _ behind: String
  ) throws {
    #expect(try kinds(change, book, behind) == ["retypedButUsed Book.pages"])
  }

  @Test(arguments: [
    (derived("authors.@count"), ""), ("", request("authors.@count &gt; 1")),
    ("", request("ANY authors.name == 'A'")),
  ])
  func aRelationshipThatIsNewlyUsedStaysToMany(_ book: String, _ behind: String) throws {
    #expect(try kinds(Self.toOne, book, behind) == ["retypedButUsed Book.authors"])
  }

  @Test func whatGoesWithEitherTypeMerges() throws {
    #expect(try kinds(Self.number, "", Self.request("pages &gt; 5")) == [])
    #expect(try kinds(Self.text, "", Self.request("pages != nil")) == [])
    #expect(try kinds(Self.text, Self.derived("authors.@count")) == [])
    #expect(try kinds(Self.toOne, Self.derived("pages")) == [])
  }

  @Test func aDerivedTypeGoesWithItsExpression() throws {
    let base = try model([], in: Self.derived("pages"))
    let one = try model([], in: Self.derived("authors.@count"))
    let other = try model(
      [], in: Self.derived("pages").replacingOccurrences(of: "Integer 64", with: "Integer 32"))
    let merge = try ModelMerge(base: base, ours: one, theirs: other)
    #expect(merge.conflicts.map(\.fact) == ["type"])
  }

  /// One side changes the type of a property that it already uses, and the other uses another property.
  @Test func usesThatWereThereAreNoConflict() throws {
    let base = try model([], behind: Self.request("pages &gt; 5"))
    let retyped = try model(
      [(Self.pages, Self.pages.replacingOccurrences(of: "Integer 64", with: "String"))],
      behind: Self.request("pages &gt; 5"))
    let more = try model([], behind: Self.request("pages &gt; 5 AND authors.@count &gt; 1"))
    #expect(try ModelMerge(base: base, ours: retyped, theirs: more).conflicts.isEmpty)
  }

  @Test func compilersWarnOfWhatStoresCannotDerive() throws {
    func warnings(_ change: (String, String), _ book: String, _ behind: String = "") throws
      -> [String]
    {
      let source = """
        <model><entity name="Author"><attribute name="name" optional="YES" attributeType="String"/></entity>
        <entity name="Book">\((Self.pages + Self.authors).replacingOccurrences(of: change.0, with: change.1))\(book)</entity>\(behind)
        </model>
        """
      let found = try SourceModel(data: Data(source.utf8)).diagnostics
      return found.filter { ["derived-expression", "predicate"].contains($0.rule.rawValue) }
        .map(\.message)
    }
    #expect(
      try warnings(Self.toOne, Self.derived("authors.@count")).first?.contains(
        "contains no to-many relationship") == true)
    #expect(
      try warnings(Self.transient, Self.derived("pages")).first?.contains("'pages' is transient")
        == true)
    #expect(
      try warnings(Self.transient, "", Self.request("pages == 5")).first?.contains(
        "SQLite stores can't fetch by it") == true)
    #expect(
      try warnings(Self.number, Self.derived("authors.@count"), Self.request("pages == 5")) == [])
  }
}
