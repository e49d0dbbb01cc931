import Foundation
import Testing

/// Main queue contexts on the real main thread: Tools/Trials/MainQueue, with one process per trial. A trial that
/// hangs is ended after a minute.
@Suite struct MainQueueTests {
  @Test(arguments: [
    "waiting-on-main", "children-on-main", "waiting-from-elsewhere", "child-in-background",
    "lent-queues", "nobody-runs-main", "turns", "undo-by-turns", "controller-by-turns", "merging",
    "released-in-block", "main-actor-run-loop", "main-actor-dispatch", "dispatch-main",
  ])
  func trialsPass(name: String) throws {
    let run = try Program.run("MainQueueTrials", [name])
    #expect(run.status == 0, "\(run.text)\(run.errors)")
    #expect(run.text.hasSuffix("all as it should be\n"), "\(run.text)\(run.errors)")
  }

  @Test func everyTrialIsRun() throws {
    let run = try Program.run("MainQueueTrials", [])
    #expect(run.text.split(separator: "\n").count == 14)
  }
}
