import Foundation
import TestSupport
import Testing

/// Classes of models whose names mean something else in code: what can compile does, and what can't is left out
/// with a warning that says where.
@Suite struct GeneratedNamesTests {
  /// Every kind of property by every odd name, type-checked at once.
  @Test func propertiesOfAnyNameCompile() throws {
    let names = """
      hash hashValue description debugDescription Any Self Type Protocol init self super class func var let in is as
      entity objectID isDeleted isInserted isFault isUpdated managedObjectContext hasChanges faultingState value key
      context type Date String Data URL UUID Int TimeInterval fetchRequest copy mutableCopy superclass zone register
      managed setManaged setValue newValue objects present set get some any actor async await nil true _ try throw
      where operator precedencegroup dynamic lazy willSave didSave validateForInsert observationInfo subscript deinit
      rethrows inout repeat Element id Identifiable isEqual changedValues hasPersistentChangedValues consume borrowing
      macro package open enum struct protocol extension default print zip NSSet NSManagedObject
      perform storage Foundation Swift MomKit NSMutableOrderedSet NSOrderedSet NSFetchRequest NSIndexSet rest
      indexes values idx insert replace add remove forEach makeIterator deleted fault inserted updated
      """.split { $0 == " " || $0 == "\n" }
    var entities = #"<entity name="Target" representedClassName="Target"/>"#
    for (number, name) in names.enumerated() {
      let named = #"name="\#(name)" optional="YES""#
      let properties = [
        #"<attribute \#(named) attributeType="String"/>"#,
        #"<attribute \#(named) attributeType="Integer 64" usesScalarValueType="YES"/>"#,
        #"<attribute \#(named) attributeType="Date" usesScalarValueType="YES"/>"#,
        #"<attribute \#(named) attributeType="Date"/>"#,
        #"<attribute \#(named) attributeType="Transformable"/>"#,
        #"<relationship \#(named) maxCount="1" destinationEntity="Target"/>"#,
        #"<relationship \#(named) toMany="YES" destinationEntity="Target"/>"#,
        #"<relationship \#(named) toMany="YES" ordered="YES" destinationEntity="Target"/>"#,
      ]
      for (kind, property) in properties.enumerated() {
        let entity = "E\(number)_\(kind)"
        entities +=
          #"<entity name="\#(entity)" representedClassName="\#(entity)">\#(property)</entity>"#
      }
    }
    try Self.check("<model>\(entities)</model>") { generated, _ in
      #expect(generated.text.split(separator: "\n").count == 2 * (1 + 8 * names.count))
    }
  }

  /// Classes with the names of types and keywords, beside each other and with attributes of these types.
  @Test func classesOfAnyNameCompile() throws {
    let types = [
      "Integer 16", "Integer 32", "Integer 64", "Double", "Float", "Boolean", "Date", "String",
      "Decimal", "UUID",
      "URI", "Binary", "Transformable", "ObjectID",
    ]
    let names = """
      Date String Data URL UUID Int Int16 Int32 Int64 Bool Double Float TimeInterval Set Array Any Self Type Protocol
      Result Error Optional Identifiable Never Character Operation Locale Notification Task State Decimal AnyObject
      Sequence Element Hashable class func init self nil hash description entity Class Selector CoreData zip
      """.split { $0 == " " || $0 == "\n" }
    var entities = ""
    for name in names {
      entities += #"<entity name="\#(name)" representedClassName="\#(name)">"#
      for (number, type) in types.enumerated() {
        entities += #"<attribute name="a\#(number)" optional="YES" attributeType="\#(type)"/>"#
        entities += #"<attribute name="s\#(number)" optional="YES" attributeType="\#(type)" "#
        entities += #"usesScalarValueType="YES"/>"#
      }
      entities += """
        <relationship name="one" optional="YES" maxCount="1" destinationEntity="\(name)"/>
        <relationship name="many" optional="YES" toMany="YES" destinationEntity="\(name)"/>
        <relationship name="row" optional="YES" toMany="YES" ordered="YES" destinationEntity="\(name)"/>
        <fetchedProperty name="fetched" optional="YES"><fetchRequest name="r" entity="\(name)"/>
        </fetchedProperty></entity><entity name="Sub\(name)" representedClassName="Sub\(name)"
        parentEntity="\(name)"/>
        """
    }
    try Self.check("<model>\(entities)</model>") { generated, folder in
      #expect(generated.text.split(separator: "\n").count == 4 * names.count)
      let text = try String(
        contentsOf: folder.appendingPathComponent("out/Date+CoreDataProperties.swift"),
        encoding: .utf8)
      #expect(text.contains("@NSManaged public var a6: Foundation.Date?"))
      #expect(text.contains("@NSManaged public var s2: Swift.Int64"))
    }
  }

  /// Types keep the names that Xcode writes where no class has them.
  @Test func attributesHideNoTypes() throws {
    let model = """
      <model><entity name="A" representedClassName="A"><attribute name="Date" optional="YES" attributeType="Date"/>
      </entity></model>
      """
    try Self.check(model) { _, folder in
      let text = try String(
        contentsOf: folder.appendingPathComponent("out/A+CoreDataProperties.swift"), encoding: .utf8
      )
      #expect(text.contains("@NSManaged public var Date: Date?"))
    }
  }

  @Test func whatCannotCompileIsLeftOutWithAWarning() throws {
    let model = """
      <model>
      <entity name="P" representedClassName="P"><attribute name="hash" optional="YES" attributeType="String"/>
      <attribute name="hashValue" optional="YES" attributeType="String"/><attribute name="a" attributeType="Date"/>
      <relationship name="items" optional="YES" toMany="YES" destinationEntity="P"/>
      <relationship name="Items" optional="YES" toMany="YES" destinationEntity="P"/></entity>
      <entity name="C" representedClassName="C" parentEntity="P"><attribute name="a" attributeType="Date"/></entity>
      <entity name="S" representedClassName="NSSet"/><entity name="U" representedClassName="_"/>
      <entity name="M" representedClassName="NSManagedObject"/>
      <entity name="D" representedClassName="Date"/><entity name="F" representedClassName="Foundation"/>
      <entity name="N" representedClassName="N" parentEntity="M"/>
      <entity name="T" representedClassName="T" parentEntity="S"/>
      </model>
      """
    try Self.check(model) { generated, folder in
      #expect(
        generated.text.split(separator: "\n").map { $0.dropFirst(4).prefix { $0 != "+" } }
          == ["C", "C", "Date", "Date", "N", "N", "P", "P", "T", "T"])
      for warning in [
        "contents:2:54: warning: [P.hash] 'hash' is a method or property of every object; no property is generated",
        "contents:3:12: warning: [P.hashValue] 'hashValue' is a method or property of every object;",
        "contents:5:15: warning: [P.Items] methods that add and remove members are generated for 'items' only",
        "contents:6:71: warning: [C.a] 'a' is inherited from 'P'; no property is generated",
        "contents:7:18: warning: [S] 'NSSet' is a class of Foundation or Core Data; no class is generated",
        "contents:9:64: warning: [F] 'Foundation' is a module whose types other classes of this model would hide;",
        "contents:7:65: warning: [U] '_' is not a valid class name; no class is generated",
      ] {
        #expect(generated.errors.contains(warning), "\(warning)\n\(generated.errors)")
      }
      let text = try String(
        contentsOf: folder.appendingPathComponent("out/N+CoreDataProperties.swift"), encoding: .utf8
      )
      #expect(text.contains("extension N : Identifiable"))
      let c = try Tool.run(
        "generate", "contents", "--all", "--language", "objc", "-o", "c", in: folder)
      let header = try String(
        contentsOf: folder.appendingPathComponent("c/P+CoreDataProperties.h"), encoding: .utf8)
      #expect(c.status == 0 && !header.contains("*hash;") && header.contains("*hashValue;"))
      #expect(header.components(separatedBy: "addItemsObject:").count == 2)
    }
  }

  /// Generates the classes of a model and type-checks them.
  private static func check(_ model: String, _ body: (Tool.Outcome, URL) throws -> Void) throws {
    try Tool.withTemporaryFolder { folder in
      try Data(model.utf8).write(to: folder.appendingPathComponent("contents"))
      let generated = try Tool.run("generate", "contents", "--all", "-o", "out", in: folder)
      #expect(generated.status == 0, "\(generated.errors)")
      let files = generated.text.split(separator: "\n").map {
        folder.appendingPathComponent(String($0)).path
      }
      #expect(try GenerateCommandTests.typeCheck(files) == "")
      try body(generated, folder)
    }
  }
}
