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
  ///
  /// Compilers before Xcode 9 shared fewer strings; theirs are not the bytes that are made here, so
  /// that a difference in the number of objects alone doesn't count for them.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func theOracleFindsNoDifference() throws {
    let folder = try TemporaryFolder()
    let pairs = Corpus.pairs(ofKind: "mom")
    var (equal, equalButForSharing) = (0, 0)
    for (number, pair) in pairs.enumerated() {
      let stamp = try ModelArchive.decode([UInt8](Data(contentsOf: pair.momURL))).compilerStamp
      let model = try SourceModel(contentsOf: pair.sourceURL).model
      let made = folder.file("\(number).mom")
      let options = ModelArchiveOptions(stamp: stamp.map { .stamp($0) } ?? .omitted)
      try Data(ModelArchive.encode(model, options: options)).write(to: made)
      let (status, findings) = try Self.compare(pair.momURL, made)
      if status == 0 { equal += 1 }
      if status == 0 || (stamp == nil && findings.allSatisfy { $0.hasPrefix("A $objects") }) {
        equalButForSharing += 1
      } else {
        print("\(pair.mom): \(findings.joined(separator: "\n  "))")
      }
    }
    print(
      "\(equal) of \(pairs.count) models are equal to the oracle,"
        + " \(equalButForSharing) but for the sharing of strings")
    #expect(equalButForSharing >= pairs.count - 3)
  }

  /// What the oracle says of two models: its status and its findings.
  private static func compare(_ first: URL, _ second: URL) throws -> (Int32, [Substring]) {
    let oracle = Process()
    oracle.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    oracle.arguments = [
      "python3", Corpus.tools.appendingPathComponent("momcheck.py").path, "compare",
      "--ignore-tool", first.path, second.path,
    ]
    // A file, not a pipe: reading one traps in Foundation when a signal interrupts it.
    let output = second.appendingPathExtension("txt")
    try Data().write(to: output)
    oracle.standardOutput = try FileHandle(forWritingTo: output)
    try oracle.run()
    oracle.waitUntilExit()
    let text = try String(contentsOf: output, encoding: .utf8)
    return (
      oracle.terminationStatus,
      text.split(separator: "\n").filter { $0.hasPrefix("A ") || $0.hasPrefix("S ") }
    )
  }
}
