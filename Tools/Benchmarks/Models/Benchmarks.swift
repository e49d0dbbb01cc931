import ArgumentParser
import Foundation

/// Measures MomKit beside its peers, in the same run and in turns, so that what the machine does
/// meanwhile hits both.
@main
struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "momkit-benchmarks",
    abstract: "Measures MomKit beside its peers and prints the ratios.",
    subcommands: [ModelBenchmarks.self, PredicateBenchmarks.self, Measurement.self],
    defaultSubcommand: ModelBenchmarks.self)
}

/// The options that all benchmarks share.
struct ReportOptions: ParsableArguments {
  @Flag(help: "Print rows of JSON instead of a table.")
  var json = false

  @Option(help: "How often each measurement is taken; the median counts.")
  var rounds = 7
}
