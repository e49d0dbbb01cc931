import Foundation

/// Runs the simulator's executable again for a part of the work.
enum ChildRun {
  /// Runs a part. Returns the events it reported, and the signal that ended it, if any.
  static func run(_ arguments: [String]) -> (events: [BatchReport.Event], signal: Int32?) {
    let path = scratch("report")
    defer { try? FileManager.default.removeItem(atPath: path) }
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["batch"] + arguments + ["--report", path]
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return ([], SIGABRT) }
    process.waitUntilExit()
    removeFiles(of: process.processIdentifier)
    let signal = process.terminationReason == .exit ? nil : process.terminationStatus
    return (BatchReport(path: path).events, signal)
  }

  /// The failure of a program; nil if it succeeds.
  static func failure(of program: Program) -> Failure? {
    let path = scratch("program")
    defer { try? FileManager.default.removeItem(atPath: path) }
    guard let data = try? JSONEncoder().encode(program),
      FileManager.default.createFile(atPath: path, contents: data)
    else { return nil }
    let (events, signal) = run(["--file", path])
    for case .failed(_, let failure) in events { return failure }
    return signal.map(Self.trap)
  }

  static func trap(_ signal: Int32) -> Failure {
    Failure(kind: "signal \(signal)", step: 0, text: "the process was ended by signal \(signal)")
  }

  /// A smaller program that fails in the same way.
  static func shrunk(_ program: Program, kind: String, seconds: Double) -> Program {
    guard !kind.hasPrefix("signal") else {
      var shrinker = Shrinker(program, kind: kind, seconds: seconds) { failure(of: $0) }
      shrinker.shrink()
      return shrinker.program
    }
    let path = scratch("program")
    defer { try? FileManager.default.removeItem(atPath: path) }
    guard let data = try? JSONEncoder().encode(program),
      FileManager.default.createFile(atPath: path, contents: data)
    else { return program }
    _ = run(["--file", path, "--shrinks", "--kind", kind, "--seconds", "\(seconds)"])
    let shrunk = FileManager.default.contents(atPath: path).flatMap {
      try? JSONDecoder().decode(Program.self, from: $0)
    }
    return shrunk ?? program
  }

  private static func scratch(_ name: String) -> String {
    FileManager.default.temporaryDirectory
      .appendingPathComponent("simulator-\(name)-\(UUID().uuidString)").path
  }

  /// Removes the files that a process ended by a signal left.
  private static func removeFiles(of process: Int32) {
    let folder = RunFolder.root.deletingLastPathComponent()
      .appendingPathComponent("momkit-simulator-\(process)")
    try? FileManager.default.removeItem(at: folder)
  }
}
