import MomKit

/// A process that does what a program did up to a step, and is ended in the middle of that: what it leaves must be
/// a store that is as it was before the step, or as it is after it.
struct KillTrial {
  let program: Program
  let step: Int
  /// What the run has done before.
  let done: [Operation]
  let operation: Operation
  let fault: Fault

  /// Runs the process, and looks at what it left.
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
      // Two stores have no commit in common: each is as before or as after.
      for store in 0..<after.model.storeCount {
        guard let difference = difference(after, actual, in: store) else { continue }
        if !wasEnded { return failure("not ended: \(difference.kind)", difference.text) }
        if self.difference(before, actual, in: store) != nil {
          return failure(difference.kind, difference.text)
        }
      }
      return try (0..<stack.plan.storeCount)
        .compactMap { try stack.finding(in: $0, leavesFiles: true) }.first
        .map { failure("check: \($0.rule)", "\($0)") }
    } catch {
      return failure("error", "\(error)")
    }
  }

  /// How a store departs from the reference.
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

  /// Runs the process; tells whether it was ended before it was done.
  private func runChild(in folder: URL) throws -> Bool {
    var part = program
    // Not the program's own steps: where a call fails depends on what else is read between, and on the time.
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
