import Foundation
import TestSupport
import Testing

@testable import ModelSource

/// Real sources, read and rewritten.
@Suite struct RoundTripTests {
  /// The distinct real `contents` files.
  private static func contents() -> [(path: String, data: Data)] {
    Corpus.files(ofKind: "model-source").filter { $0.path.hasSuffix("/contents") }.compactMap {
      file in (try? Data(contentsOf: file.url)).map { (file.path, $0) }
    }
  }

  /// Whether Xcode 11 or later last saved the source, according to its build number.
  private static func isRecent(_ document: SourceDocument) -> Bool {
    document.root["lastSavedToolsVersion"].flatMap { Double($0) } ?? 0 >= 14800
  }

  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func documentsComeBackAsTheyWere() throws {
    for (path, data) in Self.contents() {
      let document = try SourceDocument(data: data, path: path)
      let again = try SourceDocument(data: Data(document.xml.utf8), path: path)
      #expect(again.xml == document.xml, "\(path)")
    }
  }

  /// No real source has an error, except those known to have one.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func everySourceCompiles() throws {
    for (path, data) in Self.contents() {
      do {
        let source = try SourceModel(data: data, path: path)
        let again = try SourceModel(data: Data(SourceWriter(source.model).xml.utf8), path: path)
        #expect(again.model.entityVersionHashesByName == source.model.entityVersionHashesByName)
        // Xcode issues no other warnings for published models.
        let rules = Set(source.diagnostics.map(\.rule))
        #expect(rules.isSubset(of: [.missingInverse]), "\(path)")
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  /// The proportion of files reproduced byte for byte, whoever wrote them, and the first difference of each of the
  /// others.
  @Test(
    .enabled(if: Corpus.isPresent, Corpus.absence),
    arguments: [SourceWriter.Order.original, .xcode])
  func sourcesComeBackByteForByte(order: SourceWriter.Order) throws {
    var (equal, all) = (0, 0)
    for (path, data) in Self.contents() {
      let document = try SourceDocument(data: data, path: path)
      guard Self.isRecent(document) else { continue }
      all += 1
      let source: SourceModel
      do { source = try SourceModel(document: document) } catch {
        print(error)
        continue
      }
      let written = SourceWriter(source.model, order: order).xml
      if written == String(decoding: data, as: UTF8.self) {
        equal += 1
      } else {
        print("\(path): \(Self.firstDifference(written, String(decoding: data, as: UTF8.self)))")
      }
    }
    print("\(equal) of \(all) sources by Xcode 11 and later are written byte for byte (\(order))")
    #expect(all > 0)
    #expect(Double(equal) >= 0.9 * Double(all))
  }

  private static func firstDifference(_ written: String, _ original: String) -> String {
    let lines = zip(
      written.split(separator: "\n", omittingEmptySubsequences: false),
      original.split(separator: "\n", omittingEmptySubsequences: false))
    for (number, (left, right)) in lines.enumerated() where left != right {
      return "line \(number + 1): wrote \(left), was \(right)"
    }
    return "one is longer"
  }
}

/// The binary format of Xcode 3.
@Suite struct LegacyTests {
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func realFilesAreRead() throws {
    let files = Corpus.files(ofKind: "model-source").filter { $0.path.hasSuffix("/elements") }
    #expect(!files.isEmpty)
    for file in files {
      var options = SourceReadingOptions()
      // In Xcode 3, a relationship could differ from its inverse in this.
      options.skippedRules = [.transientInverse]
      let source = try SourceModel(
        contentsOf: file.url.deletingLastPathComponent(), options: options)
      #expect(!source.model.entities.isEmpty)
      for entity in source.model.entities {
        #expect(!entity.properties.isEmpty, "\(entity.name ?? "")")
        for (name, relationship) in entity.relationshipsByName {
          #expect(relationship.inverseRelationship?.inverseRelationship === relationship, "\(name)")
        }
      }
    }
  }

  @Test func otherFilesAreRefused() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("Legacy-\(UUID().uuidString).xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for bytes in [Data(), Data("bplist00".utf8), Data("<model/>".utf8)] {
      try bytes.write(to: folder.appendingPathComponent("elements"))
      #expect(throws: ModelSourceError.self) { try SourceModel(contentsOf: folder) }
    }
  }
}
