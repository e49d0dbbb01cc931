import Foundation
import Testing

@testable import ModelSource

/// The superclasses of generated classes, and the headers that declare them.
@Suite struct ClassHierarchyTests {
  private static func classes(
    _ xml: String, _ options: ClassGenerationOptions = ClassGenerationOptions()
  ) throws -> (classes: [GeneratedClass], warnings: [String]) {
    let source = try SourceModel(data: Data("<model>\n\(xml)\n</model>".utf8), path: "m")
    var plan = ClassPlanner(source.declaration, document: source.document, options: options)
    let classes = plan.classes()
    return (classes, plan.log.sorted.map(\.description))
  }

  /// The entity nearest the root has the class, whatever the order of the names.
  @Test func noClassIsItsOwnSuperclass() throws {
    let (classes, warnings) = try Self.classes(
      """
      <entity name="Root" representedClassName="Animal" codeGenerationType="class">
      <attribute name="name" optional="YES" attributeType="String"/></entity>
      <entity name="Ape" representedClassName="Animal" parentEntity="Root" codeGenerationType="class">
      <attribute name="arms" optional="YES" attributeType="String"/></entity>
      <entity name="Baboon" representedClassName="Baboon" parentEntity="Ape" codeGenerationType="class"/>
      <entity name="Calf" representedClassName="Animal" parentEntity="Baboon" codeGenerationType="class"/>
      """)
    #expect(classes.map(\.entity) == ["Baboon", "Root"])
    #expect(classes.map(\.name) == ["Baboon", "Animal"])
    #expect(classes.map(\.superclass) == ["Animal", "NSManagedObject"])
    #expect(classes.map(\.inheritsFromEntity) == [true, false])
    #expect(classes.last?.properties.map(\.name) == ["name"])
    let shared = "the class 'Animal' is also that of 'Root', and is generated only for that one"
    #expect(warnings.count == 2 && warnings.allSatisfy { $0.hasSuffix(shared) }, "\(warnings)")
  }

  /// A class written by hand for the superentity is no reason for one that inherits from itself.
  @Test func aSharedClassInheritsFromWhatIsAbove() throws {
    let (classes, _) = try Self.classes(
      """
      <entity name="Base" representedClassName="Base"/>
      <entity name="Root" representedClassName="Animal" parentEntity="Base"/>
      <entity name="Ape" representedClassName="Animal" parentEntity="Root" codeGenerationType="class"/>
      """)
    #expect(classes.map(\.entity) == ["Ape"] && classes.map(\.superclass) == ["Base"])
  }

  /// Only headers that are generated, or that developers have, are imported.
  @Test func headersOfSuperclassesExist() throws {
    let source = try SourceModel(
      data: Data(
        """
        <model>
        <entity name="Whole" representedClassName="Whole" codeGenerationType="class"/>
        <entity name="Person" representedClassName="Person" codeGenerationType="category"/>
        <entity name="Own" representedClassName="Own"/>
        <entity name="A" representedClassName="A" parentEntity="Whole" codeGenerationType="class"/>
        <entity name="B" representedClassName="B" parentEntity="Person" codeGenerationType="class"/>
        <entity name="C" representedClassName="C" parentEntity="Own" codeGenerationType="class"/>
        </model>
        """.utf8))
    func imports(_ selection: ClassGenerationOptions.Selection) -> [String] {
      let files = ClassGenerator(
        source, modelName: "M",
        options: ClassGenerationOptions(language: .objectiveC, selection: selection)
      ).files
      return ["A", "B", "C"].map { name in
        let header = files.first { $0.name == "\(name)+CoreDataClass.h" }?.text ?? ""
        let lines = header.split(separator: "\n").filter { $0.hasPrefix("#import \"") }
        return lines.first.map(String.init) ?? ""
      }
    }
    #expect(
      imports(.asDeclared) == [
        "#import \"Whole+CoreDataClass.h\"", "#import \"Person.h\"", "#import \"Own.h\"",
      ])
    #expect(
      imports(.all) == ["Whole", "Person", "Own"].map { "#import \"\($0)+CoreDataClass.h\"" })
  }
}
