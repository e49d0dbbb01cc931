import ArgumentParser

/// Kills programs while they save, lets two save at once, fills the disk, and checks the resulting stores.
@main
struct SavingCrash: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "SavingCrash",
    abstract:
      "Kills programs while they save, and checks that the store contains what was committed.",
    discussion: """
      EXAMPLES
        SavingCrash kill --count 500
        SavingCrash writers --saves 10000
        SavingCrash full --limit 2000000
      """,
    subcommands: [
      KillTrials.self, WriterTrials.self, FullDiskTrials.self, SavingChild.self, CountingChild.self,
    ])
}
