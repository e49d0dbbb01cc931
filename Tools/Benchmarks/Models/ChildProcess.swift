import Foundation

/// The results of a measurement in a separate process.
struct Measured {
  var seconds: Double
  var megabytes: Double
}

enum ChildProcess {
  /// Thrown if a child process fails, as Foundation's decoder does on cycles.
  struct Failure: Error {}

  /// Runs a command that prints seconds and megabytes.
  static func measure(_ command: [String]) throws -> Measured {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard process.terminationReason == .exit, process.terminationStatus == 0, numbers.count >= 2
    else { throw Failure() }
    return Measured(seconds: numbers[0], megabytes: numbers[1])
  }
}
