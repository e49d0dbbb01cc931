import ArgumentParser

/// `Simulator`: runs random programs on the library and on a simple reference implementation.
public struct Simulator: ParsableCommand {
  /// The command's name, help and subcommands.
  public static let configuration = CommandConfiguration(
    commandName: "Simulator",
    abstract: "Runs random programs of Core Data, and compares each step with a reference.",
    discussion: """
      EXAMPLES
        Simulator 60 --seed 7
        Simulator --seed 7 --program 12
        Simulator --replay failure.json
        Simulator undecided --programs 2000
      """,
    subcommands: [
      SimulateCommand.self, UndecidedCommand.self, BatchCommand.self, KillCommand.self,
      ServeCommand.self,
    ],
    defaultSubcommand: SimulateCommand.self)

  /// Creates the command.
  public init() {}
}
