import ArgumentParser
import Foundation

/// The other process: reads one step per line, performs it, and writes the outcome.
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
      var outcome = Outcome.done
      if let operation = request.operation {
        outcome = stack.perform(operation, expecting: request.expectation)
      } else {
        stack.letGo(besides: request.known)
      }
      let reply = OtherProcess.Reply(outcome: outcome, identities: stack.lastingIdentities)
      try FileHandle.standardOutput.write(contentsOf: OtherProcess.line(reply))
    }
    stack.close()
  }
}
