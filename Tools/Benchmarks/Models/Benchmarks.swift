import ArgumentParser
import Foundation

/// Compares MomKit with its peers in the same run, alternating between them so that other load on the machine affects
/// both.
@main
struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "momkit-benchmarks",
    abstract: "Compares MomKit with its peers and prints the ratios.",
    subcommands: [ModelBenchmarks.self, PredicateBenchmarks.self, Measurement.self],
    defaultSubcommand: ModelBenchmarks.self)
}

/// The options common to all benchmarks.
struct ReportOptions: ParsableArguments {
  @Flag(help: "Print JSON rows instead of a table.")
  var json = false

  @Option(help: "The number of times to take each measurement; the median is used.")
  var rounds = 7
}
