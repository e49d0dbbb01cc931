import ArgumentParser
import Foundation

/// Runs programs until the time is up.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs programs until the time is over.")

  @Argument(help: "For how many seconds.") var seconds = 10.0
  @Option(help: "Where the random numbers start.") var seed: UInt64 = 1
  @Option(help: "How many programs, at most.") var programs = 1_000_000
  @Option(help: "The number of the first program.") var first = 0
  @Option(help: "How many processes work at once.") var jobs = 2
  @Option(help: "Only the program of this number: prints it too.") var program: Int?
  @Option(help: "A file with a program, as a failing run leaves it.") var replay: String?
  @Option(help: "How long to shrink a failing program, in seconds.") var shrinking = 15.0
  @Option(help: "How many kinds of failures to look for.") var kinds = 1
  @Option(help: "A folder for failing programs.") var keep = "."

  func run() throws {
    if let replay {
      let data = try Data(contentsOf: URL(fileURLWithPath: replay))
      return try show(JSONDecoder().decode(Program.self, from: data))
    }
    if let program { return try show(ProgramGenerator.make(seed: seed, number: program)) }
    try FileManager.default.createDirectory(atPath: keep, withIntermediateDirectories: true)
    let run = SimulatorRun(self)
    run.run()
    print(run.summary)
    for found in run.found { try report(found) }
    if !run.found.isEmpty { throw ExitCode(1) }
  }

  private func show(_ program: Program) throws {
    print(program.text)
    guard let failure = ChildRun.failure(of: program) else { return print("no difference") }
    print("\(failure.kind), at step \(failure.step):\n\(failure.text)")
    throw ExitCode(1)
  }

  private func report(_ found: SimulatorRun.Found) throws {
    let program = ProgramGenerator.make(seed: seed, number: found.number)
    let shrunk = ChildRun.shrunk(program, kind: found.failure.kind, seconds: shrinking)
    let failure = ChildRun.failure(of: shrunk) ?? found.failure
    let kind = failure.kind.map { $0.isLetter || $0.isNumber ? $0 : "-" }
    let file = URL(fileURLWithPath: keep).appendingPathComponent(
      "\(seed)-\(found.number)-\(String(kind)).json")
    try JSONEncoder().encode(shrunk).write(to: file)
    print(
      """

      seed \(seed), program \(found.number): \(failure.kind)
      \(failure.text)
      \(shrunk.text)
      again: Simulator --replay \(file.path)
      """)
  }
}
