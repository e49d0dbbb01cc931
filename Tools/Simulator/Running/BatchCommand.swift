import ArgumentParser
import Foundation

/// Runs a range of programs in a separate process, so that a trap doesn't end the simulator.
struct BatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "batch", shouldDisplay: false)

  @Option var seed: UInt64 = 1
  @Option var first = 0
  @Option var count = 1
  @Option var seconds = 10.0
  @Option(help: "A program to run instead.") var file: String?
  @Flag(help: "Make the program of the file smaller, in place.") var shrinks = false
  @Option(help: "What the failure is to be like that is kept while shrinking.") var kind = ""
  @Option var report: String

  func run() throws {
    FileFaults.install()
    defer { try? FileManager.default.removeItem(at: RunFolder.root) }
    let report = BatchReport(path: report)
    if let file {
      let url = URL(fileURLWithPath: file)
      let program = try JSONDecoder().decode(Program.self, from: Data(contentsOf: url))
      guard shrinks else {
        run(program, 0, report)
        return report.write(.tally(Tally()))
      }
      var shrinker = Shrinker(program, kind: kind, seconds: seconds) { Self.failure(of: $0) }
      shrinker.keeps = { try? JSONEncoder().encode($0).write(to: url, options: .atomic) }
      return shrinker.shrink()
    }
    let deadline = Date(timeIntervalSinceNow: seconds)
    var tally = Tally()
    for number in first..<first + count where Date() < deadline {
      let program = ProgramGenerator.make(seed: seed, number: number)
      tally += run(program, number, report)
    }
    report.write(.tally(tally))
  }

  @discardableResult
  private func run(_ program: Program, _ number: Int, _ report: BatchReport) -> Tally {
    report.write(.begun(number))
    var run = ProgramRun(program)
    do {
      if let failure = try run.run() { report.write(.failed(number, failure)) }
    } catch {
      report.write(.failed(number, Failure(kind: "setting up", step: 0, text: "\(error)")))
    }
    report.write(.done(number))
    var tally = run.tally
    tally.programs = 1
    return tally
  }

  private static func failure(of program: Program) -> Failure? {
    var run = ProgramRun(program)
    do { return try run.run() } catch {
      return Failure(kind: "setting up", step: 0, text: "\(error)")
    }
  }
}

/// The report of a batch to its parent process, one line per event.
struct BatchReport {
  enum Event: Codable {
    case begun(Int)
    case failed(Int, Failure)
    case done(Int)
    case tally(Tally)
  }

  let path: String

  /// Appends a line. It is in the file when this returns, because the next step may crash.
  func write(_ event: Event) {
    guard let data = try? JSONEncoder().encode(event), let file = fopen(path, "a") else { return }
    let line = data + Data("\n".utf8)
    _ = line.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
    fclose(file)
  }

  var events: [Event] {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    return data.split(separator: UInt8(ascii: "\n")).compactMap {
      try? JSONDecoder().decode(Event.self, from: $0)
    }
  }
}
