import ArgumentParser
import Foundation
import HostileInput
import PropertyLists

/// Gives damaged copies of files to every reader, and reports each that ends the program, takes too
/// long or too much memory.
///
/// The readers run in a child process that notes the number of the mutation it is at, so that
/// nothing a reader does can end the run or go unattributed.
@main
struct Mutator: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mutate",
    abstract:
      "Gives damaged copies of files to the readers of property lists, archives and models.",
    discussion: """
      Files are taken as they are, folders are searched. The damage depends on the seed and on the \
      mutation's number only: --first N --count 1 repeats one, and writes it to --keep.

      Exits with 1 when a reader traps, hangs, or passes its bounds of time or memory.

      EXAMPLES
        Tools/mutate 200000 ../shared/corpus
        Tools/mutate 1 --first 4711 --keep broken.mom TestArchives
      """)

  @Argument(help: "How many mutations to try.")
  var count: Int

  @Argument(
    help: ArgumentHelp(
      "Files and folders to damage copies of; without any, TestArchives and the corpus.",
      valueName: "input"))
  var inputs: [String] = []

  @Option(help: "What all choices depend on.")
  var seed: UInt64 = 1

  @Option(help: "The number of the first mutation.")
  var first = 0

  @Option(help: "The most milliseconds that one mutation may take.")
  var milliseconds = 2000

  @Option(help: "The most megabytes that the readers may take.")
  var megabytes = 1024

  @Option(help: ArgumentHelp("Write the mutations that fail there.", valueName: "folder"))
  var keep: String?

  @Option(help: ArgumentHelp(visibility: .private))
  var progress: String?

  /// MomKit's golden files, and the corpus where there is one.
  private static var ownInputs: [String] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let corpus =
      ProcessInfo.processInfo.environment["MOMKIT_CORPUS"].map { URL(fileURLWithPath: $0) }
      ?? root.appendingPathComponent("../shared/corpus").standardizedFileURL
    return [root.appendingPathComponent("TestArchives"), corpus].map(\.path)
      .filter { FileManager.default.fileExists(atPath: $0) }
  }

  func run() throws {
    let inputs = self.inputs.isEmpty ? Self.ownInputs : self.inputs
    let files = try InputFiles(inputs).files
    guard !files.isEmpty else { throw ValidationError("there are no files in \(inputs)") }
    let mutator = ByteMutator(files: files, seed: seed)
    if let progress {
      try MutationWorker(
        mutator: mutator, progress: ProgressFile(path: progress), milliseconds: milliseconds,
        megabytes: megabytes
      ).run(first..<first + count)
    } else {
      let run = MutationRun(
        mutator: mutator, inputs: inputs, milliseconds: milliseconds, megabytes: megabytes,
        keep: keep)
      let failures = try run.run(first..<first + count)
      if failures > 0 { throw ExitCode(1) }
    }
  }
}
