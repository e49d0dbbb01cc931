import Testing

@testable import SourcePorting

/// Names that sources use without declaring them, because a build generates them from the data model.
@Suite struct GeneratedNamesTests {
  private static let model = """
    <model type="com.apple.IDECoreDataModeler.DataModel">
      <entity name="Item" representedClassName=".Item" isAbstract="YES" codeGenerationType="class">
        <attribute name="price" attributeType="Decimal"/>
        <relationship name="owners" toMany="YES" destinationEntity="Owner"/>
      </entity>
      <entity name="Owner" representedClassName="Owner" codeGenerationType="category">
        <relationship name="items" toMany="YES" ordered="YES" destinationEntity="Item"/>
        <relationship name="tags" toMany="YES" destinationEntity="Item"/>
      </entity>
      <entity name="Tag" representedClassName="Tag">
        <relationship name="list" toMany="YES" destinationEntity="Item"/>
      </entity>
      <composite name="Place"><attribute name="tags" attributeType="String"/></composite>
    </model>
    """

  private func port(_ text: String) -> (text: String, notes: [PortNote]) {
    let file = SourceFile(
      path: "0.swift", fullPath: "/p/0.swift", module: "M", text: "import CoreData\n" + text)
    let port = SourcePort([file], models: [Self.model])
    let first = "#sourceLocation(file: \"/p/0.swift\", line: 1)\nimport CoreData\n"
    return (port.results[0].text.replacing(first, with: ""), port.notes)
  }

  @Test func `checks of a class are found by its generated superclass`() {
    let check = "(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}"
    for (name, superclass) in [("Plant", "Item"), ("Plant", "M.Item"), ("Item", "Base")] {
      #expect(
        port("class \(name): \(superclass) { @objc func validatePrice\(check) }").text
          .contains("override class var propertyValidators"))
    }
    #expect(
      !port("class Plant: Other { @objc func validatePrice\(check) }").text
        .contains("propertyValidators"))
  }

  @Test func `generated properties can be observed`() {
    let notes = port(
      "let a = item.observe(\\.price) { _, _ in }\nlet b = view.observe(\\.title) { _, _ in }\n"
        + "let c = context.observe(\\.hasChanges) { _, _ in }"
    )
    .notes
    #expect(notes.filter { $0.kind == .observing }.map(\.line) == [3])
  }

  @Test func `generated sets are made of array literals`() {
    #expect(
      port("o.items = [a]\no.addToTags([a])\no.removeFromItems([])\no.list = [a]\ni.price = [1]")
        .text
          == """
          o.items = NSOrderedSet(array: [a])
          o.addToTags(NSSet(array: [a]))
          o.removeFromItems(NSOrderedSet(array: []))
          o.list = [a]
          i.price = [1]
          """)
  }
}
