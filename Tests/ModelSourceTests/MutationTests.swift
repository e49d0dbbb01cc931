import DataModels
import Foundation
import TestSupport
import Testing

@testable import ModelSource

/// Damaged sources: nothing traps, whatever is changed, and what can still be read is reproduced.
@Suite struct MutationTests {
  private static func seeds() throws -> [[UInt8]] {
    let folder = Corpus.packageRoot.appendingPathComponent("Tools/Fuzz/seeds/source")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      [UInt8](try Data(contentsOf: folder.appendingPathComponent($0)))
    }
  }

  /// Texts that affect a document's structure more often than random bytes.
  private static let words = [
    "<", ">", "/>", "\"", "=", "&amp;", "&x;", "<!--", "-->", "<![CDATA[", "]]>", "<?x?>", "\0",
    "é",
    "99999999999999999999", "-1", "1e400", "NaN", "", " ", "A", "Composite", "Decimal", "<entity>",
    "parentEntity=\"A\"", "maxCount=\"-5\"", "elementID=\"\"", "name=\"\"",
  ].map { Array($0.utf8) }

  @Test func nothingTraps() throws {
    var random = SeededGenerator(seed: 4)
    let seeds = try Self.seeds()
    #expect(!seeds.isEmpty)
    var readable = 0
    for seed in seeds {
      for _ in 0..<250 {
        var bytes = seed
        for _ in 0...Int.random(in: 0..<3, using: &random) {
          Self.mutate(&bytes, seeds.randomElement(using: &random) ?? seed, using: &random)
        }
        guard let source = try? SourceModel(data: Data(bytes)) else { continue }
        readable += 1
        let xml = SourceWriter(source.model).xml
        let again = try SourceModel(data: Data(xml.utf8))
        #expect(
          again.model.entityVersionHashesByName == source.model.entityVersionHashesByName,
          "\(String(decoding: bytes, as: UTF8.self))")
        _ = try? ModelArchive.encode(source.model)
        let options = ClassGenerationOptions(selection: .all)
        _ = ClassGenerator(source, options: options).files
      }
    }
    #expect(readable > 0)
  }

  private static func mutate(
    _ bytes: inout [UInt8], _ other: [UInt8], using random: inout SeededGenerator
  ) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    let end = min(bytes.count, place + Int.random(in: 1...12, using: &random))
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 1: bytes.removeSubrange(place..<end)
    case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 3: bytes.replaceSubrange(place..<end, with: words.randomElement(using: &random) ?? [])
    default:
      let start = Int.random(in: 0..<other.count, using: &random)
      bytes.insert(contentsOf: other[start..<min(other.count, start + 40)], at: place)
    }
  }
}
