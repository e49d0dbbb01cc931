import DataModels
import Foundation
import TestSupport
import Testing

@testable import ModelSource

/// `.xcmappingmodel` sources, compiled.
@Suite struct MappingCompilerTests {
  /// The real pairs result in the same mapping and the same bytes.
  ///
  /// The project's author added a module name for the policy to the older source after it was compiled; the test
  /// reverts this.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func realMappingsAreMadeByteForByte() throws {
    let files = Corpus.files(ofKind: "cdm")
    #expect(files.count == 2)
    for file in files {
      let folder = file.url.deletingLastPathComponent().deletingLastPathComponent()
      let source = folder.appendingPathComponent("MappingModels/V2toV3.xcmappingmodel")
      let bytes = [UInt8](try Data(contentsOf: file.url))
      let real = try MappingArchive.decode(bytes)
      let output = try MappingCompiler(source: source).compile()
      #expect(output.files.name == "V2toV3.cdm")
      let pairs = zip(output.mapping.entityMappings, real.entityMappings)
      for (made, compiled) in pairs where file.path.contains("@") {
        let name = made.entityMigrationPolicyClassName
        made.entityMigrationPolicyClassName = name?.replacing(
          "REPLACE_AT_RUNTIME", with: "CoreDataPlus_Tests_macOS")
        #expect(made.entityMigrationPolicyClassName == compiled.entityMigrationPolicyClassName)
      }
      #expect(Self.listing(output.mapping) == Self.listing(real))
      let vintage = try #require(real.compilerVintage)
      let made = try MappingArchive.encode(output.mapping, vintage: .vintage(vintage))
      #expect(made == bytes, "\(file.path), age \(vintage.rawValue)")
    }
  }

  /// Every real mapping compiles; those whose models aren't available, from the copies inside.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func everyRealMappingCompiles() throws {
    let files = Corpus.files(ofKind: "xcmappingmodel").filter { $0.path.hasSuffix(".xml") }
    #expect(files.count > 10)
    for file in files {
      let output = try MappingCompiler(source: file.url).compile()
      #expect(!output.mapping.entityMappings.isEmpty, "\(file.path)")
      #expect(
        output.diagnostics.allSatisfy { $0.message.contains("the copy inside the mapping") },
        "\(file.path): \(output.diagnostics)")
    }
  }

  static func listing(_ mapping: NSMappingModel) -> [String] {
    var lines: [String] = []
    for entity in mapping.entityMappings ?? [] {
      let parts: [String?] = [
        entity.name, "\(entity.mappingType)", entity.sourceEntityName,
        entity.destinationEntityName, entity.entityMigrationPolicyClassName,
        entity.sourceExpression?.description,
        entity.sourceEntityVersionHash?.base64EncodedString(),
        entity.destinationEntityVersionHash?.base64EncodedString(),
      ]
      lines.append(parts.map { $0 ?? "nil" }.joined(separator: " "))
      for property in (entity.attributeMappings ?? []) + (entity.relationshipMappings ?? []) {
        let value = property.valueExpression?.description ?? "nil"
        lines.append("  \(property.name ?? "") = \(value)")
      }
    }
    return lines
  }

  // MARK: A mapping of our own

  private static let versions = [
    """
    <model><entity name="Book"><attribute name="title" attributeType="String"/>
    <relationship name="owner" maxCount="1" destinationEntity="Person" inverseName="books"
     inverseEntity="Person"/></entity>
    <entity name="Person"><relationship name="books" toMany="YES" destinationEntity="Book"
     inverseName="owner" inverseEntity="Book"/></entity></model>
    """,
    """
    <model><entity name="Book"><attribute name="name" optional="YES" attributeType="String"/>
    <attribute name="title" attributeType="String"/>
    <relationship name="owner" maxCount="1" destinationEntity="Person" inverseName="books"
     inverseEntity="Person"/></entity>
    <entity name="Person"><relationship name="books" toMany="YES" destinationEntity="Book"
     inverseName="owner" inverseEntity="Book"/></entity><entity name="Shelf"/></model>
    """,
  ]

  /// Returns a mapping in the format of Xcode's store; `book` is inserted into the mapping of books.
  private static func mapping(book: String = "") -> String {
    """
    <?xml version="1.0" standalone="yes"?>
    <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

    <database>
      <databaseInfo><version>134481920</version></databaseInfo>
      <object type="XDDEVMAPPINGMODEL" id="z1">
        <attribute name="sourcemodelpath" type="string">App/M.xcdatamodeld/M.xcdatamodel</attribute>
        <attribute name="destinationmodelpath" type="string">App/M.xcdatamodeld/M 2.xcdatamodel</attribute>
        <relationship name="entitymappings" type="0/0" idrefs="z2 z3 z4"></relationship>
      </object>
      <object type="XDDEVENTITYMAPPING" id="z2">
        <attribute name="sourcename" type="string">Book</attribute>
        <attribute name="destinationname" type="string">Book</attribute>
        <attribute name="mappingnumber" type="int16">2</attribute>
        <attribute name="autogenerateexpression" type="bool">1</attribute>\(book)
        <relationship name="attributemappings" type="0/0" idrefs="z5 z6"></relationship>
        <relationship name="relationshipmappings" type="0/0" idrefs="z7"></relationship>
      </object>
      <object type="XDDEVENTITYMAPPING" id="z3">
        <attribute name="sourcename" type="string">Person</attribute>
        <attribute name="destinationname" type="string">Person</attribute>
        <attribute name="mappingnumber" type="int16">1</attribute>
        <attribute name="sourcefilterpredicatestring" type="string">books.@count &gt; 0</attribute>
      </object>
      <object type="XDDEVENTITYMAPPING" id="z4">
        <attribute name="destinationname" type="string">Shelf</attribute>
        <attribute name="mappingnumber" type="int16">3</attribute>
      </object>
      <object type="XDDEVATTRIBUTEMAPPING" id="z5"><attribute name="name">title</attribute></object>
      <object type="XDDEVATTRIBUTEMAPPING" id="z6"><attribute name="name">name</attribute></object>
      <object type="XDDEVRELATIONSHIPMAPPING" id="z7"><attribute name="name">owner</attribute>
        <attribute name="autogenerateexpression" type="bool">1</attribute></object>
    </database>
    """
  }

  private func compile(_ text: String) throws -> MappingCompiler.Output {
    let folder = try TemporaryFolder()
    for (name, text) in zip(["M", "M 2"], Self.versions) {
      try BundleTests.write(
        text,
        to: folder.url.appendingPathComponent("App/M.xcdatamodeld/\(name).xcdatamodel/contents"))
    }
    let source = folder.url.appendingPathComponent("App/Maps/Map.xcmappingmodel")
    try BundleTests.write(text, to: source.appendingPathComponent("xcmapping.xml"))
    return try withExtendedLifetime(folder) {
      try MappingCompiler(source: source, path: "Map.xcmappingmodel").compile()
    }
  }

  @Test func aMappingIsCompiled() throws {
    let output = try compile(Self.mapping())
    #expect(output.diagnostics == [])
    let mappings = try #require(output.mapping.entityMappings)
    #expect(mappings.map(\.name) == ["PersonToPerson", "BookToBook", "Shelf"])
    #expect(
      mappings.map(\.mappingType) == [
        .copyEntityMappingType, .copyEntityMappingType, .addEntityMappingType,
      ])
    let old = try SourceModel(data: Data(Self.versions[0].utf8)).model
    #expect(mappings[1].sourceEntityVersionHash == old.entity(named: "Book")?.versionHash)
    #expect(mappings[2].sourceExpression == nil)
    #expect(mappings[1].attributeMappings?.map(\.name) == ["name", "title"])
    #expect(mappings[1].attributeMappings?[0].valueExpression == nil)
    #expect(mappings[1].attributeMappings?[1].valueExpression?.description == "$source.title")
    let owner = try #require(mappings[1].relationshipMappings?.first?.valueExpression?.description)
    #expect(owner.contains("PersonToPerson") && owner.contains("$source.owner"), "\(owner)")
    let filter = try #require(mappings[0].sourceExpression?.description)
    #expect(filter.contains("books.@count > 0"), "\(filter)")
  }

  @Test(arguments: [
    (
      #"<attribute name="mappingtypename" type="string">Copi</attribute>"#,
      "there is no mapping of the type 'Copi'"
    ),
    (
      #"<attribute name="sourcefilterpredicatestring" type="string">a ==</attribute>"#,
      "the filter can't be parsed"
    ),
    (#"<attribute name="mappingnumber" type="int16">two</attribute>"#, "'two' isn't a number"),
    (
      #"<relationship name="attributemappings" idrefs="z99"></relationship>"#,
      "there is no object 'z99'"
    ),
    (#"<attribute name="sourcename">Bok</attribute>"#, "(did you mean 'Book'?)"),
  ])
  func whatIsWrongIsSaid(addition: String, message: String) throws {
    let error = #expect(throws: ModelSourceError.self) {
      try compile(Self.mapping(book: addition))
    }
    let messages = error?.diagnostics.map(\.description) ?? []
    #expect(messages.contains { $0.contains(message) }, "\(messages)")
  }

  @Test func onlyAppleDocumentTypesArePassedOver() {
    let hostile = Self.mapping().replacing(
      "\"file:///System/Library/DTDs/CoreData.dtd\">",
      with: "\"x\" [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>")
    let error = #expect(throws: ModelSourceError.self) {
      try MappingSource(data: Data(hostile.utf8))
    }
    #expect(error?.diagnostics.first?.message.contains("document types") == true)
    #expect(throws: ModelSourceError.self) { try MappingSource(data: Data("<model/>".utf8)) }
    #expect(throws: ModelSourceError.self) { try MappingSource(data: Data("<database/>".utf8)) }
  }
}
