import DataModels
import Foundation
import TestSupport
import Testing

@testable import ModelSource

/// The bytes compiled from real sources.
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

  /// Verified by the independent oracle, both as models and as archives.
  ///
  /// The compiler's vintage, which the source doesn't contain, is determined from the compiled file; nothing else is
  /// taken from it except the stamp.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func theOracleFindsNoDifference() throws {
    let folder = try TemporaryFolder()
    let pairs = Corpus.pairs(ofKind: "mom")
    var (equal, sameBytes) = (0, 0)
    for (number, pair) in pairs.enumerated() {
      let real = [UInt8](try Data(contentsOf: pair.momURL))
      let compiled = try ModelArchive.decode(real)
      let stamp = compiled.compilerStamp
      let vintage = try #require(compiled.compilerVintage)
      let made = folder.file("\(number).mom")
      let output = try ModelCompiler(
        source: pair.sourceURL, options: ModelCompilerOptions(stamp: stamp, vintage: vintage)
      ).compile()
      let bytes = try #require(output.files.files.first?.bytes)
      if bytes == real { sameBytes += 1 }
      try Data(bytes).write(to: made)
      let (status, findings) = try Self.compare(pair.momURL, made)
      if status == 0 {
        equal += 1
      } else {
        print("\(pair.mom), age \(vintage.rawValue):")
        for finding in findings.prefix(12) { print("  \(finding)") }
        #expect(Self.otherRevisions[pair.mom.suffix(after: "CoreDataPlus/")] != nil)
      }
    }
    print(
      "\(equal) of \(pairs.count) models are equal to the oracle, \(sameBytes) have the same bytes")
    #expect(equal >= 95)
  }

  /// The models compiled from another revision of their source, and the evidence for this.
  private static let otherRevisions = [
    "Tests/Resources/SampleModel/Fixtures/SampleModel.momd/SampleModel.mom":
      "the source was saved by Xcode 15.3, which stamps what it compiles; this has no stamp",
    "@49faad2f7e/Tests/SampleModel.momd/SampleModel2.mom":
      "the index has the name that a compound index gets; the source has none, but a named index",
  ]

  /// Compares two models with the oracle, and returns its status and findings.
  private static func compare(_ first: URL, _ second: URL) throws -> (Int32, [Substring]) {
    let oracle = Process()
    oracle.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    oracle.arguments = [
      "python3", Corpus.tools.appendingPathComponent("momcheck.py").path, "compare",
      "--ignore-tool", first.path, second.path,
    ]
    // A file instead of a pipe: reading a pipe traps in Foundation if a signal interrupts it.
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

extension String {
  /// Returns what follows the first occurrence of a text, or everything if there is none.
  fileprivate func suffix(after text: String) -> String {
    firstRange(of: text).map { String(self[$0.upperBound...]) } ?? self
  }
}
