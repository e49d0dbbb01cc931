import Foundation
import Testing

/// Interrupting a command midway.
extension InterruptionTests {
  /// Stops a command once a given file exists that it creates along the way, so that the signal arrives midway.
  ///
  /// - Parameters:
  ///   - isThere: whether a name is that of the file.
  ///   - act: called while the process is stopped; the process then continues.
  /// - Returns: the process, after it has ended, and whether it was stopped midway.
  static func inTheMiddle(
    of arguments: [String], in folder: URL, temporary: URL? = nil, watching watched: URL,
    until isThere: (String) -> Bool, _ act: (pid_t) -> Void
  ) throws -> (process: Process, isMet: Bool) {
    let process = Tool.process(
      Tool.url, arguments, environment: temporary.map { ["TMPDIR": $0.path] } ?? [:], in: folder)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    func isInTheMiddle() -> Bool {
      names(in: watched).contains(where: isThere)
    }
    try process.run()
    while process.isRunning, !isInTheMiddle() {}
    let number = process.processIdentifier
    kill(number, SIGSTOP)
    waitUntilStopped(process)
    let isMet = process.isRunning && isInTheMiddle()
    if isMet { act(number) }
    kill(number, SIGCONT)
    process.waitUntilExit()
    return (process, isMet)
  }

  /// Waits until every thread is stopped: the signal reaches them a moment later.
  private static func waitUntilStopped(_ process: Process) {
    let threads = "/proc/\(process.processIdentifier)/task"
    func isStopped(_ thread: String) -> Bool {
      // The state follows the name, which is in parentheses.
      let status = try? String(contentsOfFile: "\(threads)/\(thread)/stat", encoding: .utf8)
      let state = status?.split(separator: ")").last?.first { $0 != " " }
      return state.map { "TZX".contains($0) } ?? true
    }
    while process.isRunning,
      let names = try? FileManager.default.contentsOfDirectory(atPath: threads),
      !names.allSatisfy(isStopped)
    { usleep(100) }
  }

  static func names(in folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  /// Retries until a command was interrupted midway.
  static func untilMet(_ attempt: () throws -> Bool) rethrows {
    for _ in 0..<200 where try attempt() { return }
    Issue.record("the command was never met in the middle")
  }

  /// Checks how an interrupted command ended. It handles a signal a moment after the signal arrives, when it may already
  /// have finished: either nothing has changed and the exit status says so, or the result is complete.
  ///
  /// - Parameters:
  ///   - isUndone: whether nothing has changed.
  ///   - isWhole: whether the result is complete.
  /// - Returns: whether the command was interrupted.
  static func isBrokenOff(
    _ process: Process, isUndone: Bool, isWhole: Bool, _ place: String
  ) -> Bool {
    let isKilled = process.terminationReason == .uncaughtSignal
    let status = process.terminationStatus
    #expect(isUndone != isWhole, "\(place): neither done nor undone, status \(status)")
    if isUndone {
      #expect(status == (isKilled ? signal : 128 + signal), "\(place)")
    } else {
      #expect(isKilled ? status == signal : status == 0, "\(place): done, status \(status)")
    }
    return isUndone
  }
}
