import ArgumentParser
import MomKit

/// Lets two programs write to one store at the same time.
struct WriterTrials: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "writers",
    abstract: "Lets two programs increment a counter in one store; checks that no save is lost.")

  @Option(help: "The total number of saves.")
  var saves = 10_000

  func run() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("momkit-writers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("ledger.sqlite")
    let context = try LedgerModel.open(store, options: [NSPersistentHistoryTrackingKey: true])
    NSEntityDescription.insertNewObject(forEntityName: "Ledger", into: context)["step"] = 0
    try context.save()

    let start = Date()
    let reports = (0..<2).map { folder.appendingPathComponent("report.\($0)").path }
    let children = try reports.enumerated().map { number, report in
      try ChildProgram(["count", store.path, report, "\(number)", "\(saves / 2)"])
    }
    let statuses = children.map { $0.wait() }
    let seconds = Date().timeIntervalSince(start)

    var problems = statuses.contains { $0 != 0 } ? ["the writers ended with \(statuses)"] : []
    let last = reports.map { Report.last(in: $0) }
    for error in last.compactMap({ $0["error"] }) { problems.append("a writer met error \(error)") }
    let expected = saves / 2 * 2
    let fresh = try LedgerModel.open(store)
    let step = try LedgerModel.ledger(fresh)?["step"] as? Int
    if step != expected { problems.append("the counter is \(step ?? -1), not \(expected)") }
    let entries = try fresh.fetch(NSFetchRequest<NSManagedObject>(entityName: "Entry"))
    let numbers = Set(entries.compactMap { $0["number"] as? Int })
    if entries.count != expected || numbers.count != expected {
      problems.append("\(entries.count) entries with \(numbers.count) numbers, not \(expected)")
    }
    // The step that each save saw: no two may have performed the same one.
    let steps = Set(entries.compactMap { ($0["text"] as? String).flatMap { Int($0) } })
    if steps != Set(1...max(1, expected)) { problems.append("steps were taken twice or left out") }
    let findings = try StoreCheck.findings(at: store, model: LedgerModel.make())
    problems += findings.map(\.description)
    let retries = last.compactMap { $0["retries"].flatMap { Int($0) } }.reduce(0, +)
    let rate = Int(Double(expected) / max(seconds, 0.001))
    print(
      "\(expected) saves by two programs in \(String(format: "%.1f", seconds)) s (\(rate) a second), "
        + "\(retries) conflicts met and resolved; \(problems.count) failures")
    for problem in problems { print(problem) }
    if !problems.isEmpty { throw ExitCode(1) }
  }
}

/// One of the two programs: increments the ledger's step and adds an entry for each.
struct CountingChild: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "count", shouldDisplay: false)

  @Argument var store: String
  @Argument var report: String
  @Argument var writer: Int
  @Argument var saves: Int

  func run() throws {
    let report = Report(path: report)
    do {
      let context = try LedgerModel.open(
        URL(fileURLWithPath: store), options: [NSPersistentHistoryTrackingKey: true])
      var retries = 0
      for number in 0..<saves {
        while try !count(number, context) { retries += 1 }
      }
      report.write("retries \(retries)\n")
    } catch {
      let error = error as NSError
      report.write("error \(error.code) \(error.userInfo[NSSQLiteErrorDomain] ?? "")\n")
      throw ExitCode(3)
    }
  }

  /// Counts once. Returns false if the other program was faster.
  private func count(_ number: Int, _ context: NSManagedObjectContext) throws -> Bool {
    context.reset()
    guard let ledger = try LedgerModel.ledger(context) else { return false }
    let step = (ledger["step"] as? Int ?? 0) + 1
    ledger["step"] = step
    let entry = NSEntityDescription.insertNewObject(forEntityName: "Entry", into: context)
    entry["number"] = writer * 1_000_000 + number
    entry["text"] = "\(step)"
    entry["ledger"] = ledger
    do {
      try context.save()
      return true
    } catch let error as NSError where error.code == NSManagedObjectMergeError {
      return false
    }
  }
}
