import ArgumentParser
import Foundation

/// The other process: does the steps that it reads, a line each, and writes what they came to.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

  @Option var file: String
  @Option var folder: String

  func run() throws {
    let program = try JSONDecoder().decode(
      Program.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
    let stack = try Stack(program, in: URL(fileURLWithPath: folder), isOtherProcess: true)
    while let line = readLine() {
      let request = try JSONDecoder().decode(OtherProcess.Request.self, from: Data(line.utf8))
      stack.learn(request.identities)
      let outcome = stack.perform(request.operation, expecting: request.expectation)
      let reply = OtherProcess.Reply(outcome: outcome, identities: stack.lastingIdentities)
      try FileHandle.standardOutput.write(contentsOf: OtherProcess.line(reply))
    }
    stack.close()
  }
}
