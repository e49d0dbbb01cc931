import MomKit

/// Runs one program on the library and compares it with the reference after each step.
struct ProgramRun {
  let program: Program
  var tally = Tally()
  /// The steps performed so far that took effect, with which another process can reach the same state without the
  /// faults.
  var done: [Operation] = []

  init(_ program: Program) { self.program = program }

  /// Runs the program in a folder of its own. An open program is run twice, as no reference tells what it must give: the same
  /// both times.
  ///
  /// - Returns: the first difference, if there is one.
  mutating func run() throws -> Failure? {
    var trace: RunTrace?
    if let failure = try runOnce(&trace) { return failure }
    guard program.isOpen else { return nil }
    var again = ProgramRun(program)
    var other: RunTrace?
    if let failure = try again.runOnce(&other) { return failure }
    guard let trace, let other else { return nil }
    return trace.difference(from: other)
  }

  private mutating func runOnce(_ trace: inout RunTrace?) throws -> Failure? {
    let folder = RunFolder.make()
    defer { RunFolder.remove(folder) }
    let failure = try autoreleasing { try run(in: folder, &trace) }
    return failure?.isUndecided == true ? nil : failure
  }

  private mutating func run(in folder: URL, _ trace: inout RunTrace?) throws -> Failure? {
    let stack = try Stack(program, in: folder)
    defer { stack.closeForGood() }
    trace = stack.trace
    if program.isOpen {
      var run = OpenRun(stack)
      defer { tally = run.tally }
      return run.run(program.operations)
    }
    var world = ReferenceWorld(program)
    var recorder = NoticeRecorder(stack)
    var notices = NoticeComparison()
    for (step, operation) in program.operations.enumerated() {
      if case .under(let fault, let operation) = operation {
        if let failure = perform(operation, under: fault, at: step, stack, &world) {
          return failure
        }
        notices.begin(after: recorder.take())
        try stack.letGo(besides: world)
        continue
      }
      let worldBefore = world
      let before = world.store
      let expected = world.apply(operation)
      guard expected != .skipped else { continue }
      tally.steps += 1
      done.append(operation)
      recorder.begin(operation.context)
      let outcome = stack.perform(operation, expecting: expected)
      let posted = recorder.take()
      try stack.letGo(besides: world)
      if let failure = Comparison(step).compare(expected, outcome, world.model) { return failure }
      if let failure = ControllerComparison(stack, step).compare(world, after: operation) {
        return failure
      }
      if operation.isEvolution { recorder = NoticeRecorder(stack) }
      let told = notices.compare(
        posted, operation, before: worldBefore, after: world, isDone: expected == .done,
        step: step)
      guard operation.writes else {
        if let told { return told }
        continue
      }
      tally.saves += 1
      let history = HistoryComparison(stack, step)
      if let failure = StoreComparison(stack, step).compare(world)
        ?? FileComparison(stack, step).compare(&world)
        ?? (operation.isEvolution
          ? nil : history.compare(before, world.store, isSave: operation.isSave)) ?? told
      {
        return failure
      }
    }
    return StoreComparison(stack, program.operations.count).compareFinally(world)
  }

  private func autoreleasing<Result>(_ body: () throws -> Result) rethrows -> Result {
    try body()
  }
}

/// Counts of what was run.
struct Tally: Codable {
  var programs = 0
  var steps = 0
  var saves = 0
  var faults = 0
  var kills = 0

  static func += (left: inout Tally, right: Tally) {
    left.programs += right.programs
    left.steps += right.steps
    left.saves += right.saves
    left.faults += right.faults
    left.kills += right.kills
  }
}

extension Operation {
  /// Whether the operation saves a context.
  var isSave: Bool {
    switch self {
    case .save: true
    case .under(_, let operation): operation.isSave
    default: false
    }
  }

  /// Whether the operation changes the model.
  var isEvolution: Bool {
    if case .evolve = self { true } else { false }
  }

  /// Whether the operation may change the files.
  var writes: Bool {
    switch self {
    case .save, .batchInsert, .batchUpdate, .batchDelete, .evolve: true
    case .under(_, let operation): operation.writes
    case .rare(_, let step): step.writes
    default: false
    }
  }
}

/// The folders of runs: in memory, where the system has a place for that.
enum RunFolder {
  static let root: URL = {
    let shared = URL(fileURLWithPath: "/dev/shm")
    let isThere = FileManager.default.isWritableFile(atPath: shared.path)
    let parent = isThere ? shared : FileManager.default.temporaryDirectory
    let root = parent.appendingPathComponent("momkit-simulator-\(getpid())")
    // An earlier process with the same ID may have been killed before it removed its own.
    try? FileManager.default.removeItem(at: root)
    return root
  }()

  nonisolated(unsafe) private static var count = 0

  static func make() -> URL {
    count += 1
    let folder = root.appendingPathComponent("\(count)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  static func remove(_ folder: URL) { try? FileManager.default.removeItem(at: folder) }
}
