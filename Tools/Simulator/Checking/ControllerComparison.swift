import MomKit

/// Compares the contents of fetched results controllers with the result of a fetch.
struct ControllerComparison {
  private let stack: Stack
  private let step: Int

  init(_ stack: Stack, _ step: Int) {
    self.stack = stack
    self.step = step
  }

  func compare(_ world: ReferenceWorld, after operation: Operation) -> Failure? {
    for (c, watches) in stack.watches.sorted(by: { $0.key < $1.key }) {
      for watch in watches {
        if let problem = watch.check() {
          return Failure(kind: "controller: told", step: step, text: problem)
        }
        // With a single context, at the end of an event, the controller must have the same objects as a fetch.
        guard stack.contexts.count == 1, operation.processesChanges, !world.hasUntoldChanges else {
          continue
        }
        var world = world
        guard case .finds(let expected) = world.apply(.fetch(c, watch.plan)) else { continue }
        do {
          let actual = try watch.objects.map { try stack.name(of: $0, c) }
          let section = watch.plan.section.flatMap { key in
            world.model.attribute(key, of: watch.plan.entity)
          }
          let values = section.map { watch.sectionValues($0.kind) } ?? []
          if actual == expected, !hasOneValue(values) {
            return Failure(kind: "controller: sections", step: step, text: "\(values)")
          }
          guard actual != expected else { continue }
          return Failure(
            kind: "controller: contents", step: step,
            text: "expected \(expected)\nactual   \(actual)")
        } catch {
          return Failure(kind: "controller: impossible", step: step, text: "\(error)")
        }
      }
    }
    return nil
  }

  /// Whether all objects of a section have the same value, and no two sections do.
  private func hasOneValue(_ sections: [[Int?]]) -> Bool {
    sections.allSatisfy { !$0.isEmpty && Set($0).count == 1 }
      && Set(sections.map(\.first)).count == sections.count
  }
}

extension Operation {
  /// Whether the operation ends by processing pending changes.
  var processesChanges: Bool {
    switch self {
    case .settle, .save, .undo, .redo, .rollback: true
    default: false
    }
  }
}
