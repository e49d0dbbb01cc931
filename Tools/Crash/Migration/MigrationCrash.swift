import Foundation
import MomKit

/// Kills processes that migrate stores, at random times, and checks what they leave behind.
///
/// ```sh
/// swift run -c release --package-path Tools MigrationCrash run 250      # kills; about two minutes
/// swift run -c release --package-path Tools MigrationCrash run 250 staged
/// ```
///
/// A store left by a killed process must open with every object, in either the old or the new version. The next
/// process must complete the migration and leave nothing else behind.
@main
enum MigrationCrash {
  static func main() {
    do { try run(Array(CommandLine.arguments.dropFirst())) } catch {
      FileHandle.standardError.write(Data("MigrationCrash: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) throws {
    switch arguments.first {
    case "migrate" where arguments.count == 3:
      // The child process announces the beginning, migrates, and announces the end.
      FileHandle.standardOutput.write(Data("begin\n".utf8))
      try CrashStore(url: URL(fileURLWithPath: arguments[1])).migrate(
        isStaged: arguments[2] == "staged")
      FileHandle.standardOutput.write(Data("done\n".utf8))
    case "run" where arguments.count >= 2:
      guard let kills = Int(arguments[1]), kills > 0 else {
        throw CrashFailure("no number of kills")
      }
      let isStaged = arguments.dropFirst(2).first == "staged"
      try CrashRun(isStaged: isStaged, folder: arguments.dropFirst(3).first).run(kills: kills)
    default:
      throw CrashFailure("usage: MigrationCrash run KILLS [inplace|staged] [FOLDER]")
    }
  }
}

struct CrashFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
