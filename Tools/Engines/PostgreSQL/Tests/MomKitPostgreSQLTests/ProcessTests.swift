import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

@testable import SavingTrial

/// Several processes save at the same time.
@Suite(.enabled(if: TestServer.isThere)) struct ProcessTests {
  /// `MOMKIT_POSTGRESQL_PROCESSES` is the number of processes, `MOMKIT_POSTGRESQL_STEPS` the number of saves of each.
  private static func number(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
  }

  @Test func conflictingSavesOfManyProcessesAddUp() throws {
    let url = try TestServer.url()
    let trial = try Counting(url, worker: "check", timeout: 60)
    try trial.makeCounters()
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("SavingTrial")
    let steps = Self.number("MOMKIT_POSTGRESQL_STEPS", 60)
    let processes = try (0..<Self.number("MOMKIT_POSTGRESQL_PROCESSES", 3)).map { number in
      let process = Process()
      process.executableURL = program
      process.arguments = ["run", url.absoluteString, "p\(number)", "\(steps)", "3600", "60"]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      return process
    }
    for process in processes { process.waitUntilExit() }
    #expect(processes.allSatisfy { $0.terminationStatus == 0 })
    let (sum, marks) = try trial.state()
    #expect(sum == processes.count * steps)
    #expect(marks.count == sum)
  }
}
