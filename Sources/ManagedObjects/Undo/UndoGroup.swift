#if !canImport(ObjectiveC)
  /// Actions that are undone together.
  final class UndoGroup {
    private enum Member {
      case action(UndoAction)
      case group(UndoGroup)
    }

    private var members: [Member] = []
    /// The group in this one whose actions are being run.
    private var running: UndoGroup?
    var name = ""
    var isDiscardable = false

    /// Whether there is nothing to run: no actions, or only some whose targets are gone. Contexts don't remove theirs when
    /// they end, which may be on any thread.
    var isEmpty: Bool {
      !members.contains { member in
        switch member {
        case .action(let action): action.hasTarget
        case .group(let group): !group.isEmpty
        }
      }
    }

    func append(_ action: UndoAction) { members.append(.action(action)) }

    func append(_ group: UndoGroup) {
      members.append(.group(group))
      if name.isEmpty { name = group.name }
    }

    /// Runs the actions in reverse order, and removes them. One may remove others that are still to be run.
    func run() {
      while let member = members.popLast() {
        switch member {
        case .action(let action): action.run()
        case .group(let group):
          running = group
          group.run()
          running = nil
        }
      }
    }

    func removeAll(where isUnwanted: (UndoAction) -> Bool) {
      running?.removeAll(where: isUnwanted)
      let former = members
      members = former.filter { member in
        switch member {
        case .action(let action): return !isUnwanted(action)
        case .group(let group):
          group.removeAll(where: isUnwanted)
          return !group.isEmpty
        }
      }
      // What an action holds may remove other actions when it ends.
      withExtendedLifetime(former) {}
    }

    func takeSettings(of other: UndoGroup) {
      (name, isDiscardable) = (other.name, other.isDiscardable)
    }
  }

  /// The undo handler of one action.
  struct UndoAction {
    let target: ObjectIdentifier
    let run: () -> Void
    private weak var object: AnyObject?

    init(target: AnyObject, run: @escaping () -> Void) {
      self.target = ObjectIdentifier(target)
      self.run = run
      object = target
    }

    /// Whether the target is still there.
    var hasTarget: Bool { object != nil }
  }
#endif
