import ArgumentParser
import Foundation
@_spi(Engines) import MomKit
import MomKitPostgreSQL

/// The part of momtool that needs libpq. momtool runs it for stores at `postgresql://` URLs.
@main
struct MomtoolPostgreSQL: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "momtool-postgresql",
    abstract: "Works with stores in PostgreSQL, on behalf of momtool.",
    subcommands: [CopyCommand.self])

  static func main() {
    // momtool has become this program, and its own handlers are gone.
    SQLiteStoreCopy.removeDraftsWhenSignalsEnd()
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let error as ToolError {
      error.report()
      Foundation.exit(2)
    } catch let error where type(of: error) == NSError.self {
      ToolError(error as NSError, nil).report()
      Foundation.exit(2)
    } catch {
      exit(withError: error)
    }
  }
}

/// A message about one of the arguments.
struct ToolError: Error {
  let message: String
  let place: String?

  init(_ message: String, _ place: String?) { (self.message, self.place) = (message, place) }

  init(_ error: NSError, _ place: String?) {
    let reason = error.userInfo["reason"] as? String
    self.init(error.localizedDescription + (reason.map { " \($0)" } ?? ""), place)
  }

  func report() { Self.write("\(place ?? "momtool"): error: \(message)\n") }

  static func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
