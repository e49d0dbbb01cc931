import DataModels
import Foundation
import ModelSource
import Testing

/// Models that were read from sources keep the names of these sources' composites when they are written.
@Suite struct CompositeNameTests {
  private static let source = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Order" syncable="YES">
            <attribute name="home" optional="YES" attributeType="Composite" composite="Address"/>
            <attribute name="work" optional="YES" attributeType="Composite" composite="Address"/>
        </entity>
        <composite name="Address">
            <attribute name="street" optional="YES" attributeType="String"/>
        </composite>
        <composite name="Spare">
            <attribute name="spare" optional="YES" attributeType="String"/>
        </composite>
    </model>

    """

  private func written(
    _ edit: (NSEntityDescription) throws -> Void
  ) throws -> String {
    let read = try SourceModel(data: Data(Self.source.utf8)).model
    let model = try #require(read.copy() as? NSManagedObjectModel)
    try edit(try #require(model.entitiesByName["Order"]))
    return SourceWriter(model).xml
  }

  private func addElement(
    to entity: NSEntityDescription, of names: String...
  ) throws {
    for name in names {
      let composite = try #require(
        entity.attributesByName[name] as? NSCompositeAttributeDescription)
      let element = NSAttributeDescription()
      element.name = "added"
      element.attributeType = .stringAttributeType
      composite.elements.insert(element, at: 0)
    }
  }

  @Test func anEditedCompositeKeepsItsName() throws {
    let text = try written { try addElement(to: $0, of: "home", "work") }
    #expect(text.components(separatedBy: "composite=\"Address\"").count == 3)
    #expect(text.components(separatedBy: "<composite ").count == 3, "\(text)")
    let names = text.matches(of: /name="(added|street)"/).map { String($0.output.1) }
    #expect(names == ["added", "street"])
  }

  @Test func oneOfTwoUsersGetsACompositeOfItsOwn() throws {
    let text = try written { try addElement(to: $0, of: "work") }
    #expect(
      text.contains(
        "name=\"home\" optional=\"YES\" attributeType=\"Composite\" composite=\"Address\""))
    #expect(text.contains("composite=\"Work\"") && text.contains("<composite name=\"Work\">"))
    #expect(text.components(separatedBy: "\"added\"").count == 2)
  }

  @Test func aRenamedUserKeepsItsComposite() throws {
    let text = try written { entity in
      for name in ["home", "work"] { entity.attributesByName[name]?.name = "\(name)Place" }
    }
    #expect(text.components(separatedBy: "composite=\"Address\"").count == 3, "\(text)")
    #expect(text.components(separatedBy: "<composite ").count == 3)
  }

  @Test func unusedCompositesRemain() throws {
    let text = try written { $0.properties = [] }
    #expect(text.contains("\"Address\"") && text.contains("\"Spare\""))
  }
}
