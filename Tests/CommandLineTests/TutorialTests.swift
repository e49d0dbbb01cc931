import Foundation
import TestSupport
import Testing

/// Follows the tutorials, starting with an empty folder: each block of commands is run, and its output must match the
/// article.
@Suite struct TutorialTests {
  /// The tutorials that only need momtool.
  static let articles = ["GuardingModels", "CompilingModels", "ReadingAStore", "SharingAModel"]

  @Test(arguments: articles) func whatATutorialSaysIsWhatHappens(_ name: String) throws {
    let file = Corpus.packageRoot.appendingPathComponent("Sources/MomKit/MomKit.docc/\(name).md")
    let steps = Self.steps(of: try String(contentsOf: file, encoding: .utf8))
    #expect(!steps.isEmpty)
    try Tool.withTemporaryFolder { folder in
      for (number, step) in steps.enumerated() {
        let script = folder.appendingPathComponent(".step")
        try Data(("set -euo pipefail\n" + step.commands).utf8).write(to: script)
        let outcome = try Tool.run(
          URL(fileURLWithPath: "/bin/bash"), arguments: [".step"],
          environment: [
            "PATH": Tool.url.deletingLastPathComponent().path + ":" + (Tool.base["PATH"] ?? ""),
            "HOME": folder.path, "GIT_CONFIG_NOSYSTEM": "1",
          ], in: folder)
        #expect(outcome.status == 0, "\(name), block \(number + 1): \(outcome.errors)")
        #expect(outcome.errors.isEmpty, "\(name), block \(number + 1)")
        #expect(outcome.text == (step.output ?? ""), "\(name), block \(number + 1)")
      }
    }
  }

  /// The articles whose commands build packages in a clone of MomKit, which takes minutes: these tests don't run them.
  static let cloneArticles = [
    "MomKit/MomKit.docc/SavingAModel", "MomKit/MomKit.docc/MovingADataLayer",
    "CoreData/CoreData.docc/PortingAPackage",
  ]

  /// Someone with nothing but Swift and a clone of MomKit has every command, and the clone has what these name.
  @Test(arguments: cloneArticles) func aCloneHasWhatATutorialRuns(_ name: String) throws {
    let root = Corpus.packageRoot
    let article = root.appendingPathComponent("Sources/\(name).md")
    let steps = Self.steps(of: try String(contentsOf: article, encoding: .utf8))
    let lines = try #require(steps.first).commands.split(separator: "\n")
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      #expect(words[0] == "swift" || words[0].hasPrefix("MomKit/"), "\(line)")
      for word in words where word.hasPrefix("MomKit/") {
        let parts = word.dropFirst("MomKit/".count).components(separatedBy: "/.build/debug/")
        let path = root.appendingPathComponent(parts[0])
        #expect(FileManager.default.fileExists(atPath: path.path), "\(line)")
        guard parts.count == 2 else { continue }
        // What isn't built yet is a product of the package.
        let manifest = try String(
          contentsOf: path.appendingPathComponent("Package.swift"), encoding: .utf8)
        #expect(manifest.contains("\"\(parts[1])\""), "\(line)")
        #expect(lines.contains("swift build --package-path MomKit/\(parts[0])"), "\(line)")
      }
    }
  }

  /// A block of commands and its output.
  struct Step {
    var commands: String
    var output: String?
  }

  /// Returns the blocks of an article: the output is in the block that follows the commands.
  static func steps(of article: String) -> [Step] {
    var steps: [Step] = []
    var open: (language: String, lines: [Substring])?
    for line in article.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("```") else {
        open?.lines.append(line)
        continue
      }
      guard let block = open else {
        open = (String(line.dropFirst(3)), [])
        continue
      }
      let text = block.lines.map { $0 + "\n" }.joined()
      if block.language == "sh" {
        steps.append(Step(commands: text))
      } else if block.language == "text", !steps.isEmpty, steps[steps.count - 1].output == nil {
        steps[steps.count - 1].output = text
      }
      open = nil
    }
    return steps
  }
}
