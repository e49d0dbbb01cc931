import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

@testable import SavingTrial

/// Kills the server while programs save. Run these alone, with `MOMKIT_POSTGRESQL_KILLS` set to the number of kills
/// (10).
@Suite(.serialized, .enabled(if: TestServer.isThere && TestServer.kills > 0)) struct FaultTests {
  @Test func nothingIsLostOrHalfSavedWhenTheServerIsKilled() throws {
    let url = try TestServer.url()
    try Counting(url, worker: "setup", timeout: 30).makeCounters()
    let isOver = Counter()
    let outcomes = Outcomes()
    let threads = (0..<4).map { worker in
      Thread {
        do {
          let outcome = try Counting(url, worker: "w\(worker)", timeout: 30)
            .run(steps: 1_000_000, until: { isOver.value > 0 })
          outcomes.add(outcome)
        } catch { outcomes.fail("\(error)") }
      }
    }
    for thread in threads { thread.start() }
    for _ in 0..<TestServer.kills {
      usleep(UInt32.random(in: 20_000...250_000))
      try TestServer.run("kill")
      try TestServer.run("start")
    }
    isOver.add()
    while threads.contains(where: { !$0.isFinished }) { usleep(20_000) }
    let (sum, marks) = try Counting(url, worker: "check", timeout: 30).state()
    #expect(outcomes.errors == [])
    #expect(sum == marks.count)
    #expect(outcomes.acknowledged.subtracting(marks) == [], "saves that were lost")
    #expect(marks.subtracting(outcomes.acknowledged) == [], "saves that nobody knows of")
    #expect(marks.count > TestServer.kills)
    print(
      "\(TestServer.kills) kills: \(marks.count) saves, \(outcomes.failures) failed and were made again"
    )
  }

  @Test func aServerThatIsGoneIsAnErrorWithinTheTimeout() throws {
    let url = try TestServer.url()
    let trial = try Counting(url, worker: "a", timeout: 1)
    try trial.makeCounters()
    try TestServer.run("kill")
    let start = ContinuousClock.now
    #expect(throws: NSError.self) { try trial.makeCounters() }
    #expect(throws: NSError.self) { _ = try trial.state() }
    #expect(ContinuousClock.now - start < .seconds(20))
    try TestServer.run("start")
    #expect(try trial.state().sum == 0)
  }
}

/// The combined results of several workers.
final class Outcomes: @unchecked Sendable {
  private let lock = NSLock()
  private(set) var acknowledged: Set<String> = []
  private(set) var errors: [String] = []
  private(set) var failures = 0

  func add(_ outcome: Counting.Outcome) {
    lock.withLock {
      acknowledged.formUnion(outcome.acknowledged)
      failures += outcome.failures
    }
  }

  func fail(_ error: String) { lock.withLock { errors.append(error) } }
}
