import ArgumentParser
import MomKit

/// The process to kill: performs one step after another indefinitely, and reports each.
struct SavingChild: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "save", shouldDisplay: false)

  @Argument var store: String
  @Argument var report: String
  @Option var limit: Int?
  @Option var steps = Int.max
  @Flag var keepsHistory = false

  func run() throws {
    let report = Report(path: report)
    if let limit { FileLimit.set(limit) }
    do {
      let context = try LedgerModel.open(
        URL(fileURLWithPath: store), options: [NSPersistentHistoryTrackingKey: keepsHistory])
      var step = (try LedgerModel.ledger(context)?["step"] as? Int) ?? 0
      let last = step > Int.max - steps ? Int.max : step + steps
      while step < last {
        step += 1
        try LedgerState.perform(step, in: context)
        report.write("begun \(step)\n")
        try context.save()
        report.write("saved \(step)\n")
        context.reset()
      }
    } catch {
      let error = error as NSError
      report.write("error \(error.code) \(error.userInfo[NSSQLiteErrorDomain] ?? "")\n")
      throw ExitCode(3)
    }
  }
}

/// A file to which each line is appended with a single system call, so that lines survive when the process is killed.
struct Report {
  private let descriptor: Int32

  init(path: String) { descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600) }

  func write(_ line: String) {
    let bytes = Array(line.utf8)
    _ = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
  }

  /// Returns the last line of a report for each first word.
  static func last(in path: String) -> [String: String] {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    var last: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      if parts.count == 2 { last[parts[0]] = parts[1] }
    }
    return last
  }
}

/// Limits the size of files that this process can write, which has the effect of a full disk.
enum FileLimit {
  static func set(_ bytes: Int) {
    // Makes writes beyond the limit fail instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    #if canImport(Glibc)
      setrlimit(__rlimit_resource_t(1), &limit)
    #else
      setrlimit(RLIMIT_FSIZE, &limit)
    #endif
  }
}
