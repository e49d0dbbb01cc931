import Foundation
import TestSupport
import Testing

/// Merges with the git driver of composites, which are merged by name: a model has their elements only in the attributes
/// that use them.
@Suite struct CompositeMergeTests {
  private static let base = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Order" syncable="YES">
            <attribute name="home" optional="YES" attributeType="Composite" composite="Address"/>
            <attribute name="total" optional="YES" attributeType="Decimal"/>
        </entity>
        <composite name="Address">
            <attribute name="street" optional="YES" attributeType="String"/>
            <attribute name="zip" optional="YES" attributeType="String"/>
        </composite>
        <composite name="Spare">
            <attribute name="spare" optional="YES" attributeType="String"/>
        </composite>
    </model>

    """

  private static let total = "<attribute name=\"total\""
  private static let street = "<attribute name=\"street\""
  private static let zip = "<attribute name=\"zip\" optional=\"YES\" attributeType=\"String\"/>"
  private static let block = """
        <composite name="Address">
            \(attribute("street"))
            \(attribute("zip"))
        </composite>

    """
  private static let unrelated = [(total, "\(attribute("note"))\n\(total)")]

  private static func attribute(_ name: String) -> String {
    "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"/>"
  }

  private static func user(_ name: String, of composite: String) -> String {
    "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"Composite\" composite=\"\(composite)\"/>"
  }

  private static func edit(_ edits: [(String, String)]) -> Data {
    Data(
      edits.reduce(base) {
        precondition($0.contains($1.0), $1.0)
        return $0.replacingOccurrences(of: $1.0, with: $1.1)
      }.utf8)
  }

  private func merge(
    _ ours: [(String, String)], _ theirs: [(String, String)]
  ) throws -> (status: Int32, text: String, errors: String) {
    let folder = try TemporaryFolder()
    for (name, data) in [
      ("base", Data(Self.base.utf8)), ("ours", Self.edit(ours)), ("theirs", Self.edit(theirs)),
    ] { try data.write(to: folder.url.appendingPathComponent(name)) }
    let run = try Tool.run(
      "merge", "--git-driver", "base", "ours", "theirs", "M.xcdatamodel/contents", in: folder.url)
    let text = try String(contentsOf: folder.url.appendingPathComponent("ours"), encoding: .utf8)
    return (run.status, text, run.errors)
  }

  /// An edit of one side, merged in both directions with an unrelated one of the other.
  private func merged(_ edits: [(String, String)]) throws -> String {
    let there = try merge(Self.unrelated, edits)
    let back = try merge(edits, Self.unrelated)
    for merge in [there, back] {
      #expect(merge.status == 0, "\(merge.errors)\(merge.text)")
      #expect(merge.text.contains("\"note\""))
      #expect(!merge.text.contains("\"Home\""), "\(merge.text)")
    }
    #expect(Self.lines(there.text) == Self.lines(back.text))
    return there.text
  }

  /// The lines without indentation, which edits don't have.
  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test func anElementThatOneSideAddedIsThere() throws {
    let text = try merged([(Self.zip, "\(Self.attribute("country"))\n\(Self.zip)")])
    let names = text.matches(of: /name="(street|country|zip)"/).map { String($0.output.1) }
    #expect(names == ["street", "country", "zip"])
  }

  @Test func anElementThatOneSideChangedOrRemovedIs() throws {
    let changed = try merged([
      (Self.zip, Self.zip.replacing("\"String\"", with: "\"String\" defaultValueString=\"0\""))
    ])
    #expect(
      changed.contains(
        "name=\"zip\" optional=\"YES\" attributeType=\"String\" defaultValueString=\"0\""))
    let removed = try merged([(Self.zip, "")])
    #expect(!removed.contains("\"zip\"") && removed.contains("\"street\""))
  }

  @Test func aRenamedCompositeIsFollowed() throws {
    let text = try merged([("\"Address\"", "\"PostalAddress\"")])
    #expect(!text.contains("\"Address\""))
    let both = try merge(
      [("\"Address\"", "\"PostalAddress\"")],
      [(Self.zip, "\(Self.zip)\n\(Self.attribute("country"))")])
    #expect(both.status == 0, "\(both.errors)")
    #expect(!both.text.contains("\"Address\"") && both.text.contains("\"country\""))
    let used = try merge(
      [("\"Address\"", "\"PostalAddress\"")],
      [(Self.total, "\(Self.user("work", of: "Address"))\n\(Self.total)")])
    #expect(used.status == 0, "\(used.errors)")
    #expect(used.text.contains(Self.user("work", of: "PostalAddress")), "\(used.text)")
    let twice = try merge([("\"Address\"", "\"A\"")], [("\"Address\"", "\"B\"")])
    #expect(twice.status == 1)
    #expect(twice.errors.contains("<composite A> name"), "\(twice.errors)")
  }

  @Test func newCompositesComeWithTheirUsers() throws {
    let money = "<composite name=\"Money\">\(Self.attribute("currency"))</composite>\n"
    let text = try merged([
      (
        Self.total,
        "\(Self.user("price", of: "Money"))\n\(Self.user("tax", of: "Money"))\n\(Self.total)"
      ),
      ("<composite name=\"Spare\">", "\(money)<composite name=\"Spare\">"),
    ])
    #expect(text.components(separatedBy: "<composite ").count == 4)
    #expect(text.contains(Self.user("tax", of: "Money")))
    let unused = try merged([("<composite name=\"Spare\">", "\(money)<composite name=\"Spare\">")])
    #expect(unused.contains("<composite name=\"Money\">") && unused.contains("\"Spare\""))
  }

  @Test func bothSidesElementsMerge() throws {
    let merge = try merge(
      [(Self.zip, "\(Self.zip)\n\(Self.attribute("country"))")],
      [("\(Self.street) optional=\"YES\"", Self.street)])
    #expect(merge.status == 0, "\(merge.errors)")
    #expect(
      merge.text.contains("\"country\"") && merge.text.contains("\(Self.street) attributeType"))
  }

  @Test func contradictionsAreConflicts() throws {
    let one = Self.zip.replacing("\"String\"", with: "\"Integer 16\"")
    let other = Self.zip.replacing("\"String\"", with: "\"Integer 32\"")
    let changed = try merge([(Self.zip, one)], [(Self.zip, other)])
    #expect(changed.status == 1 && changed.text.contains("<<<<<<<"), "\(changed.text)")
    #expect(
      changed.errors.contains("<composite Address> <attribute zip> attributeType"),
      "\(changed.errors)")
    let removed = try merge([(Self.zip, "")], [(Self.zip, other)])
    #expect(removed.status == 1 && removed.text.contains("<<<<<<<"), "\(removed.text)")
    let gone = try merge(
      [(Self.user("home", of: "Address"), ""), (Self.block, "")],
      [(Self.total, "\(Self.user("work", of: "Address"))\n\(Self.total)")])
    #expect(gone.status == 1 && gone.text.contains("<<<<<<<"), "\(gone.text)")
    #expect(gone.errors.contains("ours removed it, theirs newly uses it"), "\(gone.errors)")
  }
}
