import DataModels
import Foundation
import ModelEvolution
import TestSupport
import Testing

@testable import ModelSource

/// Sources that are only examined: whatever is removed from or added to a document, there is a model.
@Suite struct TolerantReadingTests {
  private static let options: SourceReadingOptions = {
    var options = SourceReadingOptions()
    options.isTolerant = true
    return options
  }()

  private static func documents() throws -> [SourceDocument] {
    let folder = Corpus.packageRoot.appendingPathComponent("Tools/Fuzz/seeds/source")
    let seeds = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      folder.appendingPathComponent($0)
    }
    let real = Corpus.isPresent ? Corpus.files(ofKind: "model-source").map(\.url) : []
    let contents = real.filter { $0.lastPathComponent == "contents" }
    return (seeds + contents).compactMap { url in
      (try? Data(contentsOf: url)).flatMap { try? SourceDocument(data: $0, path: url.path) }
    }
  }

  private static let texts = [
    "", "YES", "NO", "-1", "0", "1.5", "99999999999999999999", "A", "Integer 64", "Composite",
    "Transformable", "Decimal", "self", "x.@count", "(((", "name", "é\u{301}", " ", "1",
  ]

  /// Removes or duplicates something, or changes the value of an attribute.
  private static func mutate(
    _ element: inout SourceElement, using random: inout SeededGenerator
  ) {
    if !element.children.isEmpty, Int.random(in: 0..<4, using: &random) > 0 {
      let index = Int.random(in: element.children.indices, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: element.children.remove(at: index)
      case 1: element.children.append(element.children[index])
      default: mutate(&element.children[index], using: &random)
      }
    } else if !element.attributes.isEmpty {
      let index = Int.random(in: element.attributes.indices, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: element.attributes.remove(at: index)
      case 1: element.attributes[index].name += "X"
      default: element.attributes[index].value = texts.randomElement(using: &random) ?? ""
      }
    }
  }

  @Test func whateverIsMutatedIsRead() throws {
    var random = SeededGenerator(seed: 18)
    let documents = try Self.documents()
    #expect(!documents.isEmpty)
    var before = NSManagedObjectModel()
    for number in 0..<(1500 * Trials.factor) {
      var document = documents[number % documents.count]
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        Self.mutate(&document.root, using: &random)
      }
      let source = try SourceModel(document: document, options: Self.options)
      let model = source.model
      let names = model.entities.compactMap(\.name)
      #expect(Set(names).count == names.count && !names.contains(""))
      _ = model.entityVersionHashesByName
      _ = ModelDifference(from: before, to: model).changes
      before = model
      _ = ClassGenerator(source, options: ClassGenerationOptions(selection: .all)).files
      _ = SourceWriter(model).xml
      _ = try? ModelArchive.encode(model)
    }
  }

  /// What models can't contain stays in the source that they were read from, whatever else is changed.
  @Test func whatWasDroppedIsStillWritten() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model>
          <entity name="A">
              <attribute name="x" attributeType="String"/>
              <attribute name="x" attributeType="Date"/>
              <attribute attributeType="UUID"/>
              <relationship name="x" maxCount="1" destinationEntity="A"/>
          </entity>
          <entity name="Caf\u{E9}">
              <attribute name="y" attributeType="String"/>
          </entity>
          <entity name="Cafe\u{301}">
              <attribute name="z" attributeType="String"/>
          </entity>
          <configuration name="C">
              <memberEntity name="A"/>
          </configuration>
          <configuration name="C"/>
      </model>
      """
    let source = try SourceModel(data: Data(text.utf8), options: Self.options)
    #expect(source.model.entities.map(\.ownProperties.count) == [1, 1])
    #expect(SourceWriter(source.model).xml == source.document.xml)
    let copy = try #require(source.model.copy() as? NSManagedObjectModel)
    copy.entities[0].isAbstract = true
    let expected = source.document.xml.replacing(
      "<entity name=\"A\">", with: "<entity name=\"A\" isAbstract=\"YES\">")
    #expect(SourceWriter(copy).xml == expected)
  }

  @Test func whatIsNoModelIsRefused() {
    for text in ["", "<", "<html/>", "<model>"] {
      #expect(throws: ModelSourceError.self) {
        try SourceModel(data: Data(text.utf8), options: Self.options)
      }
    }
  }

  @Test func everySourceOfTheCorpusCompilesOrIsShown() throws {
    for file in Corpus.isPresent ? Corpus.files(ofKind: "model-source") : []
    where file.url.lastPathComponent == "contents" {
      let source = try SourceModel(contentsOf: file.url, options: Self.options)
      let declared = source.document.root.children(named: "entity")
      #expect(source.model.entities.count == declared.count, "\(file.path)")
    }
  }
}
