import Foundation
import HostileInput

/// Hands mutations to workers in batches, and goes on after one that a worker did not survive.
struct MutationRun {
  private static let batch = 5000

  let mutator: ByteMutator
  let inputs: [String]
  let milliseconds: Int
  let megabytes: Int
  let keep: String?

  private struct Outcome {
    var accepted = 0
    var tried = 0
    var failures: [(number: Int, what: String)] = []
  }

  /// Tries the mutations and prints what came of it.
  ///
  /// - Returns: How many failed.
  func run(_ numbers: Range<Int>) throws -> Int {
    print("seed \(mutator.seed), \(mutator.files.count) files, \(numbers.count) mutations")
    var total = Outcome()
    var next = numbers.lowerBound
    while next < numbers.upperBound {
      let end = min(next + Self.batch, numbers.upperBound)
      let outcome = try work(next..<end)
      total.accepted += outcome.accepted
      total.failures += outcome.failures
      for failure in outcome.failures {
        print("mutation \(failure.number): \(failure.what)")
        try keepMutation(failure.number)
      }
      next += outcome.tried
    }
    print("accepted by a reader: \(total.accepted), failures: \(total.failures.count)")
    return total.failures.count
  }

  private func keepMutation(_ number: Int) throws {
    guard let keep else { return }
    try FileManager.default.createDirectory(
      atPath: keep, withIntermediateDirectories: true, attributes: nil)
    let file = URL(fileURLWithPath: keep).appendingPathComponent("mutation-\(number)")
    try Data(mutator.mutation(number)).write(to: file)
  }

  /// Runs one worker, up to its end or to the mutation that ended it.
  private func work(_ numbers: Range<Int>) throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("mutate-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let progress = ProgressFile(path: folder.appendingPathComponent("progress").path)
    let output = folder.appendingPathComponent("output")
    try Data().write(to: output)

    let worker = Process()
    worker.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    worker.arguments =
      [
        "\(numbers.count)", "--first", "\(numbers.lowerBound)", "--seed", "\(mutator.seed)",
        "--milliseconds", "\(milliseconds)", "--megabytes", "\(megabytes)", "--progress",
        progress.path, "--",
      ] + inputs
    worker.standardOutput = try FileHandle(forWritingTo: output)
    worker.standardError = worker.standardOutput
    worker.environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    try worker.run()
    let hung = waitOrKill(worker, progress)
    return outcome(
      of: worker, hung: hung, at: progress.read(), numbers,
      text: try String(contentsOf: output, encoding: .utf8))
  }

  private func outcome(
    of worker: Process, hung: Bool, at number: Int?, _ numbers: Range<Int>, text: String
  ) -> Outcome {
    var outcome = Outcome()
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.first == "accepted", let count = words.last.flatMap({ Int($0) }) {
        outcome.accepted = count
      } else if words.first == "slow", words.count > 1, let number = Int(words[1]) {
        outcome.failures.append((number, "too slow: \(words.dropFirst(2).joined(separator: " "))"))
      }
    }
    if worker.terminationReason == .exit, worker.terminationStatus == 0 {
      outcome.tried = numbers.count
    } else {
      let last = number ?? numbers.lowerBound
      let lastWords = text.split(separator: "\n").last.map { ": \($0)" } ?? ""
      let what =
        hung ? "hangs" : "ends the program, status \(worker.terminationStatus)\(lastWords)"
      outcome.failures.append((last, what))
      outcome.tried = last + 1 - numbers.lowerBound
    }
    return outcome
  }

  /// Waits for a worker; ends it when it stays at one mutation for much longer than is allowed.
  ///
  /// - Returns: Whether it had to be ended.
  private func waitOrKill(_ worker: Process, _ progress: ProgressFile) -> Bool {
    let patience = Double(milliseconds) / 1000 * 5 + 5
    var last: Int?
    var since = Date()
    while worker.isRunning {
      Thread.sleep(forTimeInterval: 0.05)
      let now = progress.read()
      if now != last {
        last = now
        since = Date()
      } else if Date().timeIntervalSince(since) > patience {
        kill(worker.processIdentifier, SIGKILL)
        worker.waitUntilExit()
        return true
      }
    }
    return false
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
