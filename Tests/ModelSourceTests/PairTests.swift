import CompiledModel
import Foundation
import ManagedModel
import ModelEvolution
import ModelSource
import TestSupport
import Testing

/// Real sources against the models that Apple's compiler made of them.
@Suite struct PairTests {
  @Test(
    .enabled(if: Corpus.isPresent, Corpus.absence), arguments: ["mom", "modelcache-mom"])
  func sourcesMeanWhatWasCompiled(kind: String) throws {
    let pairs = Corpus.pairs(ofKind: kind)
    var misses: [String] = []
    for pair in pairs {
      let compiled = try ModelArchive.decode([UInt8](Data(contentsOf: pair.momURL)))
      let source = try SourceModel(contentsOf: pair.sourceURL)
      let changes = ModelDifference(from: compiled, to: source.model).changes.filter {
        // What is in a store's cache has no class where the running program had none.
        !(kind == "modelcache-mom" && $0.fact == "className" && $0.oldValue == .none)
      }
      if !changes.isEmpty {
        misses.append(pair.mom)
        print("\(pair.mom):")
        for change in changes.prefix(8) {
          print("  \(change.path) \(change.fact ?? ""): \(change.oldValue) → \(change.newValue)")
        }
      }
    }
    print("\(pairs.count - misses.count) of \(pairs.count) \(kind) pairs mean the same")
    #expect(!pairs.isEmpty)
    #expect(misses.isEmpty)
  }
}

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
        print("\(pair.mom) \(oracle.terminationStatus): \(String(decoding: text, as: UTF8.self).prefix(400))")
      }
    }
    print("\(pairs.count - misses) of \(pairs.count) models are equal to the oracle")
    #expect(misses <= 2)
  }
}
