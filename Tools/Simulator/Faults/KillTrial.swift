import MomKit

/// Repeats a program's steps in a child process that is killed in the middle of the last one. The store that it leaves
/// must be either as before that step or as after it.
struct KillTrial {
  let program: Program
  let step: Int
  /// The steps that the run has performed before.
  let done: [Operation]
  let operation: Operation
  let fault: Fault

  /// Runs the process and checks the stores that it left.
  func run(before: ReferenceWorld, after: ReferenceWorld) -> Failure? {
    let folder = RunFolder.make()
    defer { RunFolder.remove(folder) }
    do {
      let wasEnded = try runChild(in: folder)
      var ended = program
      ended.model = after.model
      let stack = try Stack(ended, in: folder)
      defer { stack.close() }
      let comparison = StoreComparison(stack, step)
      let actual = try stack.coordinators.first.map(comparison.read) ?? [:]
      // Two stores don't commit together: each may be either as before or as after.
      for store in 0..<after.model.storeCount {
        guard let difference = difference(after, actual, in: store) else { continue }
        if !wasEnded { return failure("not ended: \(difference.kind)", difference.text) }
        if self.difference(before, actual, in: store) != nil {
          return failure(difference.kind, difference.text)
        }
      }
      guard !stack.setup.isInMemory else { return nil }
      return try (0..<stack.plan.storeCount)
        .compactMap { try stack.finding(in: $0, leavesFiles: true) }.first
        .map { failure("check: \($0.rule)", "\($0)") }
    } catch {
      return failure("error", "\(error)")
    }
  }

  /// The difference between a store and the reference.
  private func difference(
    _ world: ReferenceWorld, _ actual: [ObjectName: ObjectView], in store: Int
  ) -> (kind: String, text: String)? {
    func part(_ views: [ObjectName: ObjectView]) -> [ObjectName: ObjectView] {
      views.filter { world.model.store(of: $0.value.entity) == store }
    }
    return Comparison(step).difference(
      part(world.savedViews()), part(actual), world.model, seesDerived: true
    ).map { ($0.kind, "expected \($0.expected)\nactual   \($0.actual)") }
  }

  private func failure(_ kind: String, _ text: String) -> Failure {
    Failure(kind: "after \(fault.kind): \(kind)", step: step, text: "\(fault): \(text)")
  }

  /// Runs the process. Returns whether it was killed before it was finished.
  private func runChild(in folder: URL) throws -> Bool {
    var part = program
    // The performed steps, not the program's: which call fails also depends on what is read in between, and on the
    // time.
    part.operations = done + [.under(fault, operation)]
    let file = folder.appendingPathExtension("json")
    try JSONEncoder().encode(part).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["kill", "--file", file.path, "--folder", folder.path]
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    switch (process.terminationReason, process.terminationStatus) {
    case (.exit, 0): return false
    case (.exit, FileFaults.exitStatus), (.uncaughtSignal, SIGXFSZ): return true
    default:
      throw Impossible("the process ended with \(process.terminationStatus) by itself")
    }
  }
}
