#if !canImport(ObjectiveC)
  import Dispatch
  import Foundation

  /// An undo manager.
  ///
  /// Foundation has this class on Apple's systems only; this is its counterpart elsewhere, with the same names.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// person.name = "Ada"
  /// context.undo()
  /// ```
  ///
  /// Actions are undone in groups. With ``groupsByEvent`` the first action opens a group automatically. That group
  /// ends with the turn of the main queue, with the block of a context's `perform`, or with ``undo()``, whichever
  /// comes first. An empty group is discarded.
  open class UndoManager: NSObject, @unchecked Sendable {
    // Sendable: used on the queue of its context alone, as Foundation's is on the main thread.

    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    /// The open groups, outermost first.
    private var openGroups: [UndoGroup] = []
    /// The group whose actions are being run.
    private var running: UndoGroup?
    /// Whether the outermost group was opened by an action rather than by the program.
    private var isAutomatic = false
    private var disableCount = 0
    /// The calls of ``disableUndoRegistration()`` that ``removeAllActions()`` has ended: their matching calls may follow.
    private var endedCount = 0
    private var storedLevels = 0

    /// Creates a manager without actions.
    public override init() {}

    /// Whether an action outside any group opens one. True in a new manager; if false, the program opens groups with
    /// ``beginUndoGrouping()``.
    open var groupsByEvent = true

    /// The maximum number of groups that can be undone; 0, as in a new manager, for no limit.
    open var levelsOfUndo: Int {
      get { storedLevels }
      set {
        storedLevels = max(0, newValue)
        trim()
      }
    }

    /// Whether an undo is in progress.
    open private(set) var isUndoing = false
    /// Whether a redo is in progress.
    open private(set) var isRedoing = false
    /// The nesting level of open groups; 0 if none is open.
    open var groupingLevel: Int { openGroups.count }
    /// Whether actions are registered.
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    // MARK: Groups

    /// Opens a group, nested in the open one.
    open func beginUndoGrouping() {
      if openGroups.isEmpty { isAutomatic = false } else { post(.NSUndoManagerCheckpoint) }
      open()
    }

    private func open() {
      openGroups.append(UndoGroup())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the innermost open group.
    ///
    /// A call without an open group is a programmer error and traps.
    open func endUndoGrouping() {
      precondition(
        !openGroups.isEmpty, "-[UndoManager endUndoGrouping]: no matching beginUndoGrouping")
      post(.NSUndoManagerCheckpoint)
      close()
    }

    private func close() {
      dropEndedGroups()
      guard let group = openGroups.last else { return }
      post(.NSUndoManagerWillCloseUndoGroup)
      openGroups.removeLast()
      if !group.isEmpty {
        if let outer = openGroups.last {
          outer.append(group)
        } else if isUndoing {
          redoStack.append(group)
        } else {
          undoStack.append(group)
          trim()
        }
      }
      post(.NSUndoManagerDidCloseUndoGroup)
    }

    /// Closes the group that an action opened, if it is the only open one.
    final func endEvent() {
      guard isAutomatic, openGroups.count == 1, !isUndoing, !isRedoing else { return }
      post(.NSUndoManagerCheckpoint)
      close()
      isAutomatic = false
    }

    private func trim() {
      guard storedLevels > 0 else { return }
      replaceStacks(
        undo: Array(undoStack.filter { !$0.isEmpty }.suffix(storedLevels)),
        redo: Array(redoStack.filter { !$0.isEmpty }.suffix(storedLevels)))
    }

    /// Lets go of groups whose targets are gone, once one of them is next.
    private func dropEndedGroups() {
      guard undoStack.last?.isEmpty == true || redoStack.last?.isEmpty == true else { return }
      dropEmptyGroups()
    }

    private func dropEmptyGroups() {
      replaceStacks(
        undo: undoStack.filter { !$0.isEmpty }, redo: redoStack.filter { !$0.isEmpty })
    }

    /// Replaces the stacks. What is let go may be the last to hold an object that removes its actions when it ends: by then
    /// nothing here may be in the middle of a change.
    private func replaceStacks(undo: [UndoGroup], redo: [UndoGroup]) {
      let former = (undoStack, redoStack)
      undoStack = undo
      redoStack = redo
      withExtendedLifetime(former) {}
    }

    // MARK: Actions

    /// Disables the registration of actions until the matching call of ``enableUndoRegistration()``.
    open func disableUndoRegistration() { disableCount += 1 }

    /// Enables the registration of actions again.
    open func enableUndoRegistration() {
      if disableCount == 0, endedCount > 0 {
        endedCount -= 1
        return
      }
      precondition(
        disableCount > 0,
        "-[UndoManager enableUndoRegistration]: enable was called without a matching disable")
      disableCount -= 1
    }

    /// Registers a handler that undoes an action. What the handler itself registers is the redo.
    ///
    /// - Parameters:
    ///   - target: the object passed to `handler`; not retained.
    ///   - handler: the handler that undoes the action.
    public final func registerUndo<TargetType: AnyObject>(
      withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
      guard isUndoRegistrationEnabled else { return }
      if openGroups.isEmpty {
        precondition(
          groupsByEvent,
          "-[UndoManager registerUndo(withTarget:handler:)]: must begin a group before registering "
            + "undo")
        isAutomatic = true
        open()
        endEventLater()
      }
      if !isUndoing, !isRedoing, !redoStack.isEmpty { replaceStacks(undo: undoStack, redo: []) }
      openGroups.last?.append(
        UndoAction(target: target) { [weak target] in
          if let target { handler(target) }
        })
    }

    private func endEventLater() {
      guard ContextQueue.isMainQueueCurrent else { return }
      DispatchQueue.main.async { [weak self] in self?.endEvent() }
    }

    /// Removes all actions, and enables registration however often it has been disabled.
    open func removeAllActions() {
      replaceStacks(undo: [], redo: [])
      for group in groupsInUse { group.removeAll { _ in true } }
      endedCount += disableCount
      disableCount = 0
    }

    /// Removes the actions of a target.
    open func removeAllActions(withTarget target: Any) {
      let identity = ObjectIdentifier(target as AnyObject)
      for group in undoStack + redoStack + groupsInUse { group.removeAll { $0.target == identity } }
      dropEmptyGroups()
    }

    /// The open groups, and what is left of the one being run.
    private var groupsInUse: [UndoGroup] { openGroups + (running.map { [$0] } ?? []) }

    // MARK: Undo and redo

    /// Whether there is something to undo.
    open var canUndo: Bool { lastUndo != nil || openGroups.contains { !$0.isEmpty } }

    /// Whether there is something to redo.
    open var canRedo: Bool {
      post(.NSUndoManagerCheckpoint)
      return lastRedo != nil
    }

    /// The number of groups that can be undone.
    open var undoCount: Int { undoStack.filter { !$0.isEmpty }.count }
    /// The number of groups that can be redone.
    open var redoCount: Int { redoStack.filter { !$0.isEmpty }.count }

    /// The group that is undone next.
    private var lastUndo: UndoGroup? { undoStack.last { !$0.isEmpty } }
    /// The group that is redone next.
    private var lastRedo: UndoGroup? { redoStack.last { !$0.isEmpty } }

    /// Undoes the last group. Closes the outermost group first if it is open.
    open func undo() {
      post(.NSUndoManagerCheckpoint)
      if openGroups.count == 1 { endUndoGrouping() }
      precondition(
        openGroups.isEmpty, "-[UndoManager undo]: undo was called with too many nested undo groups")
      undoNestedGroup()
    }

    /// Undoes the last group; no group may be open.
    open func undoNestedGroup() {
      precondition(
        openGroups.isEmpty, "-[UndoManager undoNestedGroup]: undo was called with an open group")
      post(.NSUndoManagerCheckpoint)
      dropEndedGroups()
      guard !isUndoing, !isRedoing, let group = undoStack.popLast() else { return }
      post(.NSUndoManagerWillUndoChange)
      isUndoing = true
      run(group)
      isUndoing = false
      post(.NSUndoManagerDidUndoChange)
    }

    /// Redoes the last undone group; does nothing if something else has been done since.
    open func redo() {
      post(.NSUndoManagerCheckpoint)
      endEvent()
      precondition(
        openGroups.isEmpty, "-[UndoManager redo]: redo was called with an open group")
      dropEndedGroups()
      guard !isUndoing, !isRedoing, let group = redoStack.popLast() else { return }
      post(.NSUndoManagerWillRedoChange)
      isRedoing = true
      run(group)
      isRedoing = false
      post(.NSUndoManagerDidRedoChange)
    }

    private func run(_ group: UndoGroup) {
      open()
      openGroups.last?.takeSettings(of: group)
      running = group
      group.run()
      running = nil
      // What observers have changed meanwhile belongs to the group.
      post(.NSUndoManagerCheckpoint)
      close()
    }

    // MARK: Names

    /// The name of the next undo, for menus; empty if it has none.
    open var undoActionName: String { (openGroups.first ?? lastUndo)?.name ?? "" }
    /// The name of the next redo, for menus; empty if it has none.
    open var redoActionName: String { lastRedo?.name ?? "" }

    /// Names the open group, or the one closed last.
    open func setActionName(_ actionName: String) {
      (openGroups.first ?? lastUndo)?.name = actionName
    }

    /// Whether the next undo can be discarded when a document is saved or closed.
    open var undoActionIsDiscardable: Bool {
      (openGroups.first ?? lastUndo)?.isDiscardable ?? false
    }
    /// Whether the next redo can be discarded when a document is saved or closed.
    open var redoActionIsDiscardable: Bool { lastRedo?.isDiscardable ?? false }

    /// Sets whether the open group, or the one closed last, can be discarded.
    open func setActionIsDiscardable(_ discardable: Bool) {
      (openGroups.first ?? lastUndo)?.isDiscardable = discardable
    }

    private func post(_ name: NSNotification.Name) {
      NotificationCenter.default.post(name: name, object: self)
    }
  }
#endif
