import CompiledModel
import Foundation
import ManagedModel
import ModelCompiler
import ModelSource
import TestSupport
import Testing

/// The bytes that are made of real sources.
@Suite struct CompiledBytesTests {
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func stampedModelsAreMadeByteForByte() throws {
    var (equal, all) = (0, 0)
    for pair in Corpus.pairs(ofKind: "mom") {
      let real = [UInt8](try Data(contentsOf: pair.momURL))
      guard let stamp = try ModelArchive.decode(real).compilerStamp else { continue }
      all += 1
      let model = try SourceModel(contentsOf: pair.sourceURL).model
      let made = try ModelArchive.encode(model, options: ModelArchiveOptions(stamp: .stamp(stamp)))
      if made == real { equal += 1 } else { print("other bytes: \(pair.mom)") }
    }
    print("\(equal) of \(all) stamped models are made byte for byte")
    #expect(all > 0)
    #expect(Double(equal) >= 0.95 * Double(all))
  }

  /// Judged by the independent oracle.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func theOracleFindsNoDifference() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("pairs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let pairs = Corpus.pairs(ofKind: "mom")
    var misses = 0
    for pair in pairs {
      let made = folder.appendingPathComponent("made.mom")
      let model = try SourceModel(contentsOf: pair.sourceURL).model
      try Data(ModelArchive.encode(model, options: ModelArchiveOptions(stamp: .omitted)))
        .write(to: made)
      let oracle = Process()
      oracle.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      oracle.arguments = [
        "python3", Corpus.tools.appendingPathComponent("momcheck.py").path, "compare",
        "--ignore-tool", pair.momURL.path, made.path,
      ]
      let output = Pipe()
      oracle.standardOutput = output
      try oracle.run()
      let text = output.fileHandleForReading.readDataToEndOfFile()
      oracle.waitUntilExit()
      if oracle.terminationStatus != 0 {
        misses += 1
        print(
          "\(pair.mom) \(oracle.terminationStatus): \(String(decoding: text, as: UTF8.self).prefix(400))"
        )
      }
    }
    print("\(pairs.count - misses) of \(pairs.count) models are equal to the oracle")
    #expect(misses <= 2)
  }
}
