import ArgumentParser
import Dispatch
import Foundation
import PropertyLists
import Synchronization

/// `momtool browse`: serves the page of a report, with a store's rows and objects, to the browser on this machine.
struct BrowseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse",
    abstract: "Shows a model or a store in the browser: tables, conditions, objects, pictures.",
    discussion: """
      The page of momtool report, served live to this machine only: a store's tables page by page, \
      conditions with completion and error markers, objects followed through relationships, decoded \
      binary values. Everything shown can be saved as CSV or JSON.

      The store is never modified. The address contains a secret: whoever knows it, and can reach \
      this machine's loopback address, can read the store. It is valid until the command ends; press \
      Control-C to end it.

      EXAMPLES
        momtool browse Shop.sqlite --open
        momtool browse Shop.xcdatamodeld
        momtool browse Old.xml --model Shop.momd
      """)

  @Argument(
    help: ArgumentHelp("A store, a model, or a bundle of versions.", valueName: "input"),
    completion: .file())
  var input: String

  @Option(
    help: ArgumentHelp(
      "The store's model, if the store has no copy of it: a .mom, .momd or source.",
      valueName: "model"))
  var model: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The port. Default: any that is free.", valueName: "number"))
  var port: UInt16 = 0

  @Flag(help: "Open the page in the browser.")
  var open = false

  func run() throws {
    let opener = try open ? BrowserOpener() : nil
    let session = BrowseSession(
      ReportSource(inputs: [input], title: nil, model: model, hasHistory: false))
    let server = BrowseServer(session, port: port)
    // Even if the parent process blocks these signals, as a test runner does.
    EndingSignals.listen()
    let (ended, failure) = (DispatchSemaphore(value: 0), Failure())
    Task {
      do {
        try await session.begin()
        try await server.run { address in
          try StandardOutput.write(address + "\n")
          try opener?.open(address)
        }
      } catch {
        failure.error.withLock { $0 = error }
      }
      ended.signal()
    }
    ended.wait()
    if let error = failure.error.withLock({ $0 }) {
      try InputReader.reported(input) { throw error }
    }
  }

  private final class Failure: Sendable {
    let error = Mutex<(any Error)?>(nil)
  }
}
