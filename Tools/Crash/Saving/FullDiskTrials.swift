import ArgumentParser
import MomKit

/// Saves until the disk is full, then checks that the program can continue once space is available.
struct FullDiskTrials: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "full",
    abstract: "Saves until the disk is full; checks the store, and that saving works afterwards.")

  @Option(help: "The maximum size of files, in bytes.")
  var limit: Int?

  @Option(help: "A folder on a small disk.")
  var folder: String?

  func validate() throws {
    if limit == nil, folder == nil { throw ValidationError("Give --limit or --folder.") }
  }

  func run() throws {
    let parent = folder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
    let folder = parent.appendingPathComponent("momkit-full-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("ledger.sqlite")
    // Reports are written elsewhere, so that they don't fill the disk.
    let reports = FileManager.default.temporaryDirectory
      .appendingPathComponent("momkit-full-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: reports) }
    try FileManager.default.createDirectory(at: reports, withIntermediateDirectories: true)
    let first = reports.appendingPathComponent("first").path
    let status = try ChildProgram(
      ["save", store.path, first, "--steps", "5000"] + (limit.map { ["--limit", "\($0)"] } ?? [])
    ).wait()
    let last = Report.last(in: first)
    let saved = last["saved"].flatMap { Int($0) } ?? 0
    let error = last["error"] ?? "none"
    var problems: [String] = []
    if status != 3 { problems.append("the program ended with \(status): the disk never was full") }
    let code = error.split(separator: " ").first.flatMap { Int($0) }
    let expected = [
      CocoaError.Code.fileWriteOutOfSpace.rawValue, CocoaError.Code.fileWriteUnknown.rawValue,
      NSPersistentStoreSaveError,
    ]
    if !expected.contains(code ?? 0) { problems.append("error \(error) is none of \(expected)") }
    problems += try check(store, saved)
    if limit != nil {
      let second = reports.appendingPathComponent("second").path
      let status = try ChildProgram(["save", store.path, second, "--steps", "5"]).wait()
      if status != 0 { problems.append("saving doesn't go on: \(Report.last(in: second))") }
      problems += try check(store, saved + 5)
    }
    print("full after \(saved) saves with error \(error); \(problems.count) failures")
    for problem in problems { print(problem) }
    if !problems.isEmpty { throw ExitCode(1) }
  }

  private func check(_ store: URL, _ saved: Int) throws -> [String] {
    var problems = try StoreCheck.findings(at: store, model: LedgerModel.make())
      .map { "after \(saved) saves: \($0)" }
    let state = try LedgerState(of: store)
    if let difference = state.difference(from: LedgerState(after: saved)) {
      problems.append("after \(saved) saves: \(difference)")
    }
    return problems
  }
}
