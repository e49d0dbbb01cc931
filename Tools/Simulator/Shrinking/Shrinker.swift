import Foundation

/// Makes a failing program smaller while it continues to fail in the same way.
struct Shrinker {
  private(set) var program: Program
  /// Called with every smaller program.
  var keeps: (Program) -> Void = { _ in }
  private let kind: String
  private var likeness: Likeness?
  private let deadline: Date
  private let failure: (Program) -> Failure?

  init(
    _ program: Program, kind: String, seconds: Double,
    failure: @escaping (Program) -> Failure?
  ) {
    self.program = program
    self.kind = kind
    self.failure = failure
    deadline = Date(timeIntervalSinceNow: seconds)
  }

  mutating func shrink() {
    guard let failure = failure(program), failure.kind == kind else { return }
    likeness = Likeness(failure, of: program)
    var before: Program
    repeat {
      before = program
      dropOperations()
      dropContexts()
      simplifyOperations()
      dropFromModel()
    } while program != before && Date() < deadline
  }

  /// Accepts a smaller program if it fails in the same way.
  @discardableResult
  private mutating func tryOut(_ smaller: Program) -> Bool {
    guard smaller != program, Date() < deadline, let failure = failure(smaller),
      Likeness(failure, of: smaller) == likeness
    else { return false }
    program = smaller
    keeps(smaller)
    return true
  }

  /// Removes runs of operations, beginning at the end: first half of them, then shorter and shorter runs.
  private mutating func dropOperations() {
    var length = max(1, program.operations.count / 2)
    while true {
      var end = program.operations.count
      while end > 0 {
        let start = max(0, end - length)
        var smaller = program
        smaller.operations.removeSubrange(start..<min(end, smaller.operations.count))
        tryOut(smaller)
        end = start
      }
      if length == 1 { return }
      length = max(1, length / 2)
    }
  }

  private mutating func dropContexts() {
    for index in program.setup.contexts.indices.reversed() where program.setup.contexts.count > 1 {
      var smaller = program
      guard index == smaller.setup.contexts.count - 1 else { continue }
      smaller.setup.contexts.remove(at: index)
      smaller.operations.removeAll { $0.context >= index }
      tryOut(smaller)
    }
    for index in program.setup.contexts.indices {
      for change in Self.plainer {
        var smaller = program
        change(&smaller.setup.contexts[index])
        // A parent context must have a queue.
        let isParent = smaller.setup.contexts.contains { $0.parent == index }
        if isParent { smaller.setup.contexts[index].isPrivate = true }
        tryOut(smaller)
      }
    }
    var smaller = program
    (smaller.setup.coordinatorCount, smaller.setup.keepsHistory) = (1, false)
    for index in smaller.setup.contexts.indices { smaller.setup.contexts[index].coordinator = 0 }
    tryOut(smaller)
    for customs in program.customs?.simpler ?? [] {
      var smaller = program
      smaller.customs = customs == Customs() ? nil : customs
      tryOut(smaller)
    }
  }

  private static let plainer: [@Sendable (inout ContextPlan) -> Void] = [
    { $0.isPrivate = false }, { $0.mergesAutomatically = false }, { $0.undoes = false },
    { $0.policy = .error }, { $0.ownsPolicy = false }, { $0.watches = [] },
    { for index in $0.watches.indices { $0.watches[index].section = nil } },
  ]

  private mutating func simplifyOperations() {
    for index in program.operations.indices {
      for simpler in program.operations[index].simpler {
        var smaller = program
        smaller.operations[index] = simpler
        tryOut(smaller)
      }
    }
  }

  private mutating func dropFromModel() {
    for entity in program.model.entities.reversed() {
      tryOut(program.without(entity: entity.name))
      for attribute in entity.attributes where attribute.name != ModelPlan.serial {
        tryOut(
          program.changing(entity.name) { $0.attributes.removeAll { $0.name == attribute.name } })
      }
      for relationship in entity.relationships {
        tryOut(program.without(relationship: relationship.name))
        tryOut(program.changing(relationship.name, { $0.rule = .nullify }))
        tryOut(program.changing(relationship.name, { $0.isOrdered = false }))
        tryOut(program.changing(relationship.name, { ($0.isOptional, $0.minimum) = (true, 0) }))
        tryOut(program.changing(relationship.name, { $0.maximum = 0 }))
      }
      tryOut(program.changing(entity.name) { $0.constraints = [] })
      tryOut(program.changing(entity.name) { $0.stamp = nil })
      tryOut(program.changing(entity.name) { $0.isAbstract = false })
      tryOut(program.changing(entity.name) { $0.store = 0 })
      for index in entity.attributes.indices {
        tryOut(
          program.changing(entity.name) {
            guard $0.attributes.indices.contains(index) else { return }
            ($0.attributes[index].isOptional, $0.attributes[index].defaultValue) = (true, nil)
            $0.attributes[index].most = nil
          })
        tryOut(
          program.changing(entity.name) {
            guard $0.attributes.indices.contains(index) else { return }
            if $0.attributes[index].name != ModelPlan.serial {
              $0.attributes[index].kind = .integer32
            }
          })
      }
    }
  }
}
