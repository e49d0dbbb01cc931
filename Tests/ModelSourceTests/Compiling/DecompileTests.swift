import DataModels
import Foundation
import ModelEvolution
import PropertyLists
import TestSupport
import Testing

@testable import ModelSource

/// Compiled models, decompiled and compiled again.
@Suite struct DecompileTests {
  /// Indexes and uniqueness constraints may name an element of a composite.
  @Test func keyPathsComeBack() throws {
    func text(_ name: String) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.type = .string
      return attribute
    }
    func composite(
      _ name: String, _ elements: [NSAttributeDescription]
    ) -> NSCompositeAttributeDescription {
      let composite = NSCompositeAttributeDescription()
      composite.name = name
      composite.elements = elements
      return composite
    }
    let place = composite("place", [text("city"), composite("street", [text("name")])])
    let shop = entity("Shop", [text("code"), place])
    shop.uniquenessConstraints = [["place.city", "code"], ["place.street.name"]]
    shop.indexes = [["place.city"], ["code", "place.street.name"]].map { names in
      NSFetchIndexDescription(
        name: names.joined(separator: "_").replacing(".", with: "_"),
        elements: names.map {
          NSFetchIndexElementDescription(
            propertyName: $0, expression: nil, collationType: .binary, isAscending: true)
        })
    }
    let branch = entity("Branch", [])
    branch.uniquenessConstraints = [["place.city"]]
    shop.subentities = [branch]
    let model = NSManagedObjectModel(of: [shop, branch])
    let output = ModelDecompiler.decompile([("M", model)], name: "M", isVersioned: false)
    #expect(output.losses == [])
    let source = try SourceModel(data: Data(output.files[0].bytes))
    #expect(source.diagnostics == [])
    let changes = ModelDifference(from: model, to: source.model).changes
    #expect(changes.isEmpty, "\(changes.map(\.path))")
    let compiled = try SourceModel(
      document: SourceDocument(root: SourceWriter(source.model).root, path: "m"))
    #expect(ModelDifference(from: model, to: compiled.model).changes.isEmpty)
  }

  /// A source that is decompiled again stays in its encoding, which its first line names.
  @Test func anotherEncodingIsKept() throws {
    var form = SourceForm()
    form.encoding = XMLEncoding.utf16(isBigEndian: false)
    form.hasByteOrderMark = true
    let source = try SourceModel(
      data: form.data(
        of: """
          <?xml version="1.0" encoding="UTF-16" standalone="yes"?>
          <model><entity name="Größe"/></model>
          """))
    let output = ModelDecompiler.decompile([("M", source.model)], name: "M", isVersioned: false)
    let again = try SourceModel(data: Data(output.files[0].bytes))
    #expect(again.document.form == form)
    #expect(again.model.entities.map(\.name) == ["Größe"])
  }

  /// Each would be read as 0.
  @Test func defaultsThatAreNoNumbersAreReported() throws {
    let cases: [(NSAttributeType, Any)] = [
      (.doubleAttributeType, Double.infinity), (.doubleAttributeType, Double.nan),
      (.floatAttributeType, -Float.infinity), (.decimalAttributeType, Decimal.nan),
      (.dateAttributeType, Date(timeIntervalSinceReferenceDate: .infinity)),
    ]
    for (type, value) in cases {
      let item = entity("Item", [attribute("value", type, default: value)])
      let writer = SourceWriter(NSManagedObjectModel(of: [item]))
      #expect(
        writer.losses == ["the default value of 'Item.value', which has no text"],
        "\(type): \(value)")
      #expect(!writer.xml.contains("default"), "\(type): \(value)")
    }
  }

  /// A compiler sets the result type last, and with it two of the settings.
  @Test func settingsOfRequestsThatAreLostAreReported() {
    func losses(_ change: (NSFetchRequest<NSFetchRequestResult>) -> Void) -> [String] {
      let item = entity("Item", [attribute("name")])
      let request = NSFetchRequest<NSFetchRequestResult>()
      request.entity = item
      change(request)
      let model = NSManagedObjectModel(of: [item])
      model.setFetchRequestTemplate(request, forName: "some")
      return SourceWriter(model).losses
    }
    let types: [NSFetchRequestResultType] = [
      .managedObjectResultType, .managedObjectIDResultType, .dictionaryResultType,
      .countResultType,
    ]
    for type in types {
      let found = losses { $0.resultType = type }
      #expect(found == [], "\(type)")
    }
    let lost = [
      losses {
        $0.resultType = .managedObjectIDResultType
        $0.includesPropertyValues = true
      },
      losses {
        $0.resultType = .dictionaryResultType
        $0.includesPendingChanges = true
      },
      losses { $0.shouldRefreshRefetchedObjects = true },
    ]
    #expect(lost.map(\.count) == [1, 1, 1], "\(lost)")
    for (found, word) in zip(lost, ["property values", "pending changes", "refetched objects"]) {
      #expect(found.first?.contains("fetch request 'some'") == true)
      #expect(found.first?.contains(word) == true, "\(found)")
    }
  }

  /// Every model created by momc is reproduced completely. Models that programs build at run time and keep in stores
  /// may contain more than a source can express; losses are then reported.
  @Test(
    .enabled(if: Corpus.isPresent, Corpus.absence), arguments: ["mom", "modelcache-mom"])
  func realModelsComeBack(kind: String) throws {
    let files = Corpus.files(ofKind: kind)
    #expect(!files.isEmpty)
    var misses = 0
    for file in files {
      let model = try ModelArchive.decode([UInt8](Data(contentsOf: file.url)))
      let output = ModelDecompiler.decompile(
        [("Model", model)], name: "Model", isVersioned: false)
      let source = try SourceModel(data: Data(output.files[0].bytes), path: file.path)
      let hasIndexes = model.entities.contains { !$0.indexes.isEmpty }
      let changes = ModelDifference(from: model, to: source.model).changes.filter {
        // Since Xcode 9, an attribute marked as indexed gets its own index.
        hasIndexes || !($0.elementKind == .index || $0.fact == "indexed")
      }
      guard !changes.isEmpty || !output.losses.isEmpty else { continue }
      misses += 1
      print("\(file.path): \(output.losses)")
      for change in changes.prefix(5) {
        print("  \(change.path) \(change.fact ?? ""): \(change.oldValue) → \(change.newValue)")
      }
      #expect(kind != "mom", "\(file.path)")
      #expect(!output.losses.isEmpty, "\(file.path): lost without a word")
    }
    print("\(files.count - misses) of \(files.count) \(kind) models come back")
  }
}
