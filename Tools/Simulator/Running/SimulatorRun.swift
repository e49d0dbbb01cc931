import Dispatch
import Foundation
import Synchronization

/// All programs of a run, distributed to processes.
final class SimulatorRun: Sendable {
  struct Found: Sendable {
    var number: Int
    var failure: Failure
  }

  private struct State {
    var next: Int
    var tally = Tally()
    var found: [Found] = []
    var count = 0
    /// The ranges of programs that ended batches didn't run.
    var left: [Range<Int>] = []
  }

  private let seed: UInt64
  private let jobs: Int
  private let kinds: Int
  private let end: Int
  private let deadline: Date
  private let start = Date()
  private let state: Mutex<State>

  init(_ command: SimulateCommand) {
    seed = command.seed
    jobs = max(1, command.jobs)
    kinds = command.kinds
    end = command.first + command.programs
    deadline = Date(timeIntervalSinceNow: command.seconds)
    state = Mutex(State(next: command.first))
  }

  var found: [Found] { state.withLock { $0.found } }

  var summary: String {
    state.withLock { state in
      let seconds = Date().timeIntervalSince(start)
      let rate = Int(Double(state.tally.steps) / max(0.001, seconds))
      return "seed \(seed): \(state.tally.programs) programs, \(state.tally.steps) steps "
        + "(\(rate) a second), \(state.tally.saves) saves, \(state.tally.faults) faults, "
        + "\(state.tally.kills) kills; \(state.count) programs differ"
    }
  }

  func run() {
    let group = DispatchGroup()
    for _ in 0..<jobs {
      group.enter()
      // Processes started from threads of Dispatch have the default priority, whatever the niceness of the run.
      Thread.detachNewThread { [self] in
        while let part = nextPart() { run(part) }
        group.leave()
      }
    }
    group.wait()
  }

  private func nextPart() -> Range<Int>? {
    state.withLock { state in
      guard Date() < deadline, state.found.count < kinds else { return nil }
      if let part = state.left.popLast() { return part }
      let part = state.next..<min(end, state.next + 200)
      state.next = part.upperBound
      return part.isEmpty ? nil : part
    }
  }

  private func run(_ part: Range<Int>) {
    let seconds = max(0.1, min(10, deadline.timeIntervalSinceNow))
    let (events, signal) = ChildRun.run([
      "--seed", "\(seed)", "--first", "\(part.lowerBound)", "--count", "\(part.count)",
      "--seconds", "\(seconds)",
    ])
    state.withLock { state in
      var last = part.lowerBound - 1
      for event in events {
        switch event {
        case .begun(let number): last = number
        case .failed(let number, let failure): Self.note(number, failure, &state, kinds)
        case .done: break
        case .tally(let tally): state.tally += tally
        }
      }
      if let signal { Self.note(last, ChildRun.trap(signal), &state, kinds) }
      if last + 1 < part.upperBound {
        state.left.append(max(last, part.lowerBound - 1) + 1..<part.upperBound)
      }
    }
  }

  private static func note(_ number: Int, _ failure: Failure, _ state: inout State, _ kinds: Int) {
    state.count += 1
    // Reports the failure before the end of a long run.
    FileHandle.standardError.write(Data("program \(number): \(failure.kind)\n".utf8))
    guard state.found.count < kinds,
      !state.found.contains(where: { $0.failure.kind == failure.kind })
    else { return }
    state.found.append(Found(number: number, failure: failure))
  }
}
