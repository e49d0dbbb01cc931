import ArgumentParser
import Foundation

/// Compares MomKit with its peers in the same run, alternating between them so that other load on the machine affects
/// both.
@main
struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "momkit-benchmarks",
    abstract: "Measures MomKit beside its peers and prints the ratios.",
    subcommands: [ModelBenchmarks.self, PredicateBenchmarks.self, Measurement.self],
    defaultSubcommand: ModelBenchmarks.self)
}

/// The options common to all benchmarks.
struct ReportOptions: ParsableArguments {
  @Flag(help: "Print rows of JSON instead of a table.")
  var json = false

  @Option(help: "How often each measurement is taken; the median counts.")
  var rounds = 7
}
