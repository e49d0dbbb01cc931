import ArgumentParser

/// Counts the steps that programs can't contain, because their result is unspecified.
struct UndecidedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undecided",
    abstract: "Counts the steps with an unspecified result, by reason.")

  @Option(help: "Where the random numbers start.") var seed: UInt64 = 1
  @Option(help: "How many programs to make.") var programs = 1000
  @Flag(help: "Count by the kind of step as well.") var bySort = false

  func run() {
    var counts: [String: Int] = [:]
    var (attempts, steps) = (0, 0)
    for number in 0..<programs {
      let generator = ProgramGenerator.made(seed: seed, number: number)
      attempts += generator.attempts
      steps += generator.program.operations.count
      for (reason, count) in generator.refusals { counts[key(reason), default: 0] += count }
    }
    print("\(programs) programs, \(steps) steps of \(attempts). Left out of 1,000 programs:")
    for (reason, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      print("\(count * 1000 / max(1, programs))\t\(reason)")
    }
  }

  /// The reason without the numbers of objects.
  private func key(_ reason: String) -> String {
    let parts = reason.split(separator: "\t", maxSplits: 1)
    let text = parts.last.map { $0.replacing(/\d+/, with: "N") } ?? ""
    return bySort ? "\(parts.first ?? "")\t\(text)" : String(text)
  }
}
