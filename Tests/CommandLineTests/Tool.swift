import Foundation
import TestSupport

/// Runs the built `momtool` as a process.
enum Tool {
  /// The result of a run.
  struct Outcome {
    var status: Int32
    var output: Data
    var errors: String

    /// The output as text.
    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// The tool, located next to the test bundle.
  static let url: URL = {
    let bundle = Bundle.main.executableURL ?? Corpus.packageRoot.appendingPathComponent(".build")
    let beside = bundle.deletingLastPathComponent().appendingPathComponent("momtool")
    return FileManager.default.isExecutableFile(atPath: beside.path)
      ? beside : Corpus.packageRoot.appendingPathComponent(".build/debug/momtool")
  }()

  /// Runs the tool and waits for it to exit.
  ///
  /// - Parameters:
  ///   - arguments: the command line.
  ///   - input: the contents of standard input.
  ///   - environment: variables in addition to the few that every run has.
  ///   - folder: the working folder.
  static func run(
    _ arguments: String..., input: Data = Data(), environment: [String: String] = [:],
    in folder: URL? = nil
  ) throws -> Outcome {
    try run(arguments: arguments, input: input, environment: environment, in: folder)
  }

  /// Runs the other tool, `momc`, and waits for it to exit.
  static func runMomc(_ arguments: String..., in folder: URL? = nil) throws -> Outcome {
    let momc = url.deletingLastPathComponent().appendingPathComponent("momc")
    return try run(momc, arguments: arguments, in: folder)
  }

  /// Runs another program of the package and waits for it to exit.
  static func run(
    program: String, arguments: [String], environment: [String: String] = [:],
    in folder: URL? = nil
  ) throws -> Outcome {
    try run(
      url.deletingLastPathComponent().appendingPathComponent(program), arguments: arguments,
      environment: environment, in: folder)
  }

  /// Runs a script of the repository and waits for it to exit.
  static func run(
    script: URL, environment: [String: String] = [:], in folder: URL? = nil
  ) throws -> Outcome {
    try run(script, arguments: [], environment: environment, in: folder)
  }

  /// Runs the tool with a list of arguments and waits for it to exit.
  static func run(
    arguments: [String], input: Data = Data(), environment: [String: String] = [:],
    in folder: URL? = nil
  ) throws -> Outcome {
    try run(url, arguments: arguments, input: input, environment: environment, in: folder)
  }

  static func run(
    _ program: URL, arguments: [String], input: Data = Data(),
    environment: [String: String] = [:], in folder: URL?
  ) throws -> Outcome {
    try withTemporaryFolder { scratch in
      let inputFile = scratch.appendingPathComponent("in")
      let outputFile = scratch.appendingPathComponent("out")
      let errorFile = scratch.appendingPathComponent("err")
      try input.write(to: inputFile)
      try Data().write(to: outputFile)
      try Data().write(to: errorFile)

      let process = process(program, arguments, environment: environment, in: folder)
      process.standardInput = try FileHandle(forReadingFrom: inputFile)
      process.standardOutput = try FileHandle(forWritingTo: outputFile)
      process.standardError = try FileHandle(forWritingTo: errorFile)
      try process.run()
      process.waitUntilExit()
      return Outcome(
        status: process.terminationStatus, output: try Data(contentsOf: outputFile),
        errors: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self))
    }
  }

  /// Returns a process for the tool or another program, ready to run.
  static func process(
    _ program: URL = url, _ arguments: [String], environment: [String: String] = [:],
    in folder: URL?
  ) -> Process {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = base.merging(environment) { $1 }
    process.currentDirectoryURL = folder
    return process
  }

  /// A fixed width for help texts, and a predictable PATH.
  static let base = [
    "COLUMNS": "80", "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
    "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
  ]

  /// Runs a closure with a new folder, and removes the folder afterwards.
  static func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("momtool-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}
