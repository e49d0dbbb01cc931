import Foundation

/// Runs a program of this package, or of a package next to it, as a process.
struct Program {
  /// The result of a run.
  struct Outcome {
    var status: Int32
    var text: String
    var errors: String
  }

  /// The folder of the built programs, which is also that of the tests.
  static let folder = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
    .deletingLastPathComponent()

  /// MomKit's own folder.
  static let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Thrown if a program hasn't been built.
  struct Missing: Error, CustomStringConvertible {
    let path: String

    var description: String { "there is no \(path); Tools/test builds all programs" }
  }

  /// Runs a program and waits for it to exit.
  ///
  /// - Parameters:
  /// - name: The program's name or path.
  /// - variables: The environment, in addition to the search paths.
  static func run(
    _ name: String, _ arguments: [String], variables: [String: String] = [:]
  ) throws -> Outcome {
    let url = name.hasPrefix("/") ? URL(fileURLWithPath: name) : folder.appendingPathComponent(name)
    guard FileManager.default.isExecutableFile(atPath: url.path) else {
      throw Missing(path: url.path)
    }
    let files = try TemporaryFolder()
    let (output, errors) = (files.file("out"), files.file("err"))
    for file in [output, errors] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    let own = ProcessInfo.processInfo.environment
    process.environment = own.filter { ["PATH", "LD_LIBRARY_PATH", "TMPDIR"].contains($0.key) }
      .merging(variables) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, text: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }
}
