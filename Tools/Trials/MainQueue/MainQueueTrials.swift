import Foundation
import MomKit

/// Trials of main queue contexts on the real main thread, which tests don't run on. `MainQueueTests` runs each by
/// name in a separate process.
@main
enum MainQueueTrials {
  static let trials: [String: @Sendable (TrialRun) throws -> Void] = [
    "waiting-on-main": waitingOnMain,
    "children-on-main": childrenOnMain,
    "waiting-from-elsewhere": waitingFromElsewhere,
    "child-in-background": childInBackground,
    "lent-queues": lentQueues,
    "nobody-runs-main": nobodyRunsMain,
    "turns": turns,
    "undo-by-turns": undoByTurns,
    "controller-by-turns": controllerByTurns,
    "merging": merging,
    "released-in-block": releasedInBlock,
    "main-actor-run-loop": mainActorInRunLoop,
    "main-actor-dispatch": mainActorInDispatchMain,
    "dispatch-main": underDispatchMain,
  ]

  static func main() {
    guard let name = CommandLine.arguments.dropFirst().first, let trial = trials[name] else {
      print(trials.keys.sorted().joined(separator: "\n"))
      exit(2)
    }
    // If a trial hangs, the system kills it, whatever its threads are doing.
    alarm(60)
    let run = TrialRun()
    do {
      try trial(run)
    } catch {
      run.expect(false, "no error: \(error)")
    }
    run.finish()
  }
}
