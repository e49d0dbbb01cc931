import ArgumentParser
import MomKit

@main
struct MomTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "momtool",
    abstract: "Reads, checks, compares and writes Core Data models and stores.")
}
