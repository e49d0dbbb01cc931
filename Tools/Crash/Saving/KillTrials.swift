import ArgumentParser
import MomKit

/// Kills a saving child process at random moments and checks the store each time.
struct KillTrials: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kill",
    abstract: "Kills a saving program at random moments; checks the store after each.")

  @Option(help: "The number of kills.")
  var count = 500

  @Option(help: "The number of kills per store.")
  var perStore = 20

  @Option(help: "The seed of the random moments.")
  var seed: UInt64 = 1

  @Option(help: "The longest time to let a child save, in milliseconds.")
  var longest = 60

  func run() throws {
    var generator = TrialGenerator(state: seed)
    var tally = KillTally()
    var trial: KillTrial?
    for number in 0..<count {
      if number % perStore == 0 {
        trial?.cleanUp()
        trial = try KillTrial(keepsHistory: number / perStore % 2 == 1)
      }
      try trial?.kill(number, longest: longest, &generator, &tally)
    }
    trial?.cleanUp()
    print(tally)
    if tally.failures > 0 { throw ExitCode(1) }
  }
}

/// The results of a series of kills.
struct KillTally: CustomStringConvertible {
  var kills = 0
  var saves = 0
  /// The number of kills during a save; and of those, how many left the save complete.
  var duringSave = 0
  var inFlightKept = 0
  /// The number of kills before the store existed or while it was being opened.
  var beforeSaves = 0
  /// The number of external files without a row, left by interrupted saves.
  var leftFiles = 0
  var failures = 0

  var description: String {
    "\(kills) kills, \(saves) saves; \(duringSave) kills during a save, of which \(inFlightKept) "
      + "had committed; \(beforeSaves) before the first save; \(leftFiles) unnamed external files "
      + "left; \(failures) failures"
  }
}

/// A store and the child processes that are killed while using it.
final class KillTrial {
  private let folder: URL
  private let store: URL
  private let keepsHistory: Bool
  private var step = 0
  private var leftFiles = 0

  init(keepsHistory: Bool) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("momkit-crash-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store = folder.appendingPathComponent("ledger.sqlite")
    self.keepsHistory = keepsHistory
  }

  func cleanUp() { try? FileManager.default.removeItem(at: folder) }

  func kill(
    _ number: Int, longest: Int, _ generator: inout TrialGenerator, _ tally: inout KillTally
  ) throws {
    let report = folder.appendingPathComponent("report.\(number)").path
    let child = try ChildProgram(
      ["save", store.path, report] + (keepsHistory ? ["--keeps-history"] : []))
    // Some are killed while opening the store, most while saving.
    if generator.next(below: 5) > 0 {
      let patience = Date(timeIntervalSinceNow: 20)
      while Report.last(in: report)["begun"] == nil, child.isRunning, Date() < patience {
        usleep(500)
      }
    }
    usleep(UInt32(generator.next(below: longest * 1000)))
    child.kill()
    tally.kills += 1
    let last = Report.last(in: report)
    if let error = last["error"] { fail("kill \(number): the child met error \(error)", &tally) }
    try check(number, last, &tally)
  }

  private func check(
    _ number: Int, _ last: [String: String], _ tally: inout KillTally
  ) throws {
    let saved = last["saved"].flatMap { Int($0) } ?? step
    let begun = last["begun"].flatMap { Int($0) } ?? saved
    if last["begun"] == nil { tally.beforeSaves += 1 }
    tally.saves += saved - step
    // A child killed before it created the store leaves no file or an empty one.
    let size = (try? FileManager.default.attributesOfItem(atPath: store.path)[.size]) as? Int
    guard size ?? 0 > 0 || saved > 0 else { return }
    do {
      guard try LedgerStore.isMade(store) else {
        if saved > 0 { fail("kill \(number): the store is gone", &tally) }
        return
      }
      let findings = try StoreCheck.findings(at: store, model: LedgerModel.make())
      let left = findings.count { $0.rule == .externalUnreferenced }
      for finding in findings where finding.rule != .externalUnreferenced {
        fail("kill \(number): \(finding)", &tally)
      }
      // A save writes at most two files and removes at most two.
      if left - leftFiles > 4 { fail("kill \(number): \(left - leftFiles) files left", &tally) }
      tally.leftFiles += max(0, left - leftFiles)
      leftFiles = left
      let state = try LedgerState(of: store)
      if state.step != saved && state.step != begun {
        fail("kill \(number): \(state.step) is neither \(saved) nor \(begun)", &tally)
      }
      if begun > saved {
        tally.duringSave += 1
        if state.step == begun { tally.inFlightKept += 1 }
      }
      if let difference = state.difference(from: LedgerState(after: state.step)) {
        fail("kill \(number): \(difference)", &tally)
      }
      step = state.step
    } catch {
      fail("kill \(number): the store can't be read: \(error)", &tally)
    }
  }

  private func fail(_ text: String, _ tally: inout KillTally) {
    print(text)
    tally.failures += 1
  }
}

/// Whether the creation of a store was committed.
enum LedgerStore {
  static func isMade(_ url: URL) throws -> Bool {
    do {
      return try StoreFile(at: url.path).metadata.identifier != nil
    } catch let error where error.code == .noModel {
      // A SQLite file without tables: the transaction that creates them was rolled back.
      return false
    }
  }
}
