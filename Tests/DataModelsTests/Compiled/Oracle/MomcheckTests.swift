import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// An oracle that shares nothing with this package checks the files written here.
@Suite("momcheck.py", .enabled(if: Oracle.isPresent, Oracle.absence))
struct MomcheckTests {
  @Test func writtenRandomModelsAreSound() throws {
    let folder = try TemporaryFolder()
    var tasks: [[String]] = []
    for seed in 0..<120 as Range<UInt64> {
      let file = folder.file("\(seed).mom").path
      try AtomicFile.write(ModelArchive.encode(RandomModel(seed: seed).model()), to: file)
      tasks += [["lint", file], ["order", file]]
    }
    #expect(try Oracle.complaints(about: tasks) == "")
  }

  @Test(.enabled(if: Corpus.isPresent, Corpus.absence), arguments: ["mom", "modelcache-mom"])
  func writtenRealModelsAreTheSame(kind: String) throws {
    let folder = try TemporaryFolder()
    var tasks: [[String]] = []
    for (number, original) in Corpus.files(ofKind: kind).enumerated() {
      let file = folder.file("\(number).mom").path
      let model = try ModelArchive.decode(FileBytes.read(original.url.path))
      try AtomicFile.write(ModelArchive.encode(model), to: file)
      tasks += [["lint", file], ["order", file]]
      // In a cache, every entity also lists what it inherits, which the oracle considers a difference.
      if kind == "mom" { tasks.append(["compare", original.url.path, file]) }
    }
    #expect(!tasks.isEmpty)
    #expect(try Oracle.complaints(about: tasks) == "")
  }
}

/// Runs `momcheck.py`, if it and Python are available.
enum Oracle {
  private static let script = Corpus.packageRoot
    .appendingPathComponent("Tests/Oracles/momcheck_files.py")
  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"]
    .first(where: FileManager.default.isExecutableFile(atPath:))

  static let isPresent =
    python != nil
    && FileManager.default.fileExists(
      atPath: Corpus.tools.appendingPathComponent("momcheck.py").path)

  static let absence: Comment = "no python3, or no shared/tools beside the package"

  /// Returns all problems that the oracle finds.
  static func complaints(about tasks: [[String]]) throws -> String {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.file("tasks"), folder.file("output"))
    let text = tasks.map { $0.joined(separator: "\t") + "\n" }.joined()
    try Data(text.utf8).write(to: input)
    try Data().write(to: output)
    let process = Process()
    process.executableURL = python.map { URL(fileURLWithPath: $0) }
    process.arguments = [script.path, Corpus.tools.path]
    process.standardInput = try FileHandle(forReadingFrom: input)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = process.standardOutput
    try process.run()
    process.waitUntilExit()
    let complaints = try String(contentsOf: output, encoding: .utf8)
    return process.terminationStatus == 0
      ? complaints : complaints.isEmpty ? "status \(process.terminationStatus)" : complaints
  }
}
