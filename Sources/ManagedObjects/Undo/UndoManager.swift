#if !canImport(ObjectiveC)
  import Dispatch
  import Foundation

  /// Remembers how to take actions back, and how to make them again.
  ///
  /// Foundation has this class on Apple's systems only; this is its counterpart elsewhere, with the
  /// same names.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// person.name = "Ada"
  /// context.undo()
  /// ```
  ///
  /// Actions are taken back by groups. With ``groupsByEvent`` the first action opens a group by
  /// itself. It ends with the turn of the main queue, with the block of a context's `perform`, or with
  /// ``undo()``, whichever comes first. A group without actions is dropped.
  open class UndoManager: NSObject, @unchecked Sendable {
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    /// The groups that are open, the outermost first.
    private var openGroups: [UndoGroup] = []
    /// Whether the outermost group was opened by an action rather than by the program.
    private var isAutomatic = false
    private var disableCount = 0
    private var storedLevels = 0

    /// Makes a manager without actions.
    public override init() {}

    /// Whether an action outside of any group opens one. True in a new manager; if not, the program
    /// opens groups with ``beginUndoGrouping()``.
    open var groupsByEvent = true

    /// How many groups can be taken back; 0, as in a new manager, for any number.
    open var levelsOfUndo: Int {
      get { storedLevels }
      set {
        storedLevels = max(0, newValue)
        trim()
      }
    }

    /// Whether an undo is going on.
    open private(set) var isUndoing = false
    /// Whether a redo is going on.
    open private(set) var isRedoing = false
    /// How deep groups are nested; 0 when none is open.
    open var groupingLevel: Int { openGroups.count }
    /// Whether actions are remembered.
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    // MARK: Groups

    /// Opens a group, inside of the one that is open.
    open func beginUndoGrouping() {
      if openGroups.isEmpty { isAutomatic = false } else { post(.NSUndoManagerCheckpoint) }
      open()
    }

    private func open() {
      openGroups.append(UndoGroup())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the group that was opened last.
    ///
    /// Without an open group this is a programmer's error and traps.
    open func endUndoGrouping() {
      precondition(
        !openGroups.isEmpty, "-[UndoManager endUndoGrouping]: no matching beginUndoGrouping")
      post(.NSUndoManagerCheckpoint)
      close()
    }

    private func close() {
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

    /// Closes the group that an action opened, if that is the only one open.
    final func endEvent() {
      guard isAutomatic, openGroups.count == 1, !isUndoing, !isRedoing else { return }
      post(.NSUndoManagerCheckpoint)
      close()
      isAutomatic = false
    }

    private func trim() {
      guard storedLevels > 0 else { return }
      undoStack.removeFirst(max(0, undoStack.count - storedLevels))
      redoStack.removeFirst(max(0, redoStack.count - storedLevels))
    }

    // MARK: Actions

    /// Stops remembering actions, until ``enableUndoRegistration()`` is called as often.
    open func disableUndoRegistration() { disableCount += 1 }

    /// Remembers actions again.
    open func enableUndoRegistration() {
      precondition(
        disableCount > 0,
        "-[UndoManager enableUndoRegistration]: enable was called without a matching disable")
      disableCount -= 1
    }

    /// Remembers how to take an action back. What `handler` registers in turn takes the undo back.
    ///
    /// - Parameters:
    ///   - target: whom `handler` is given; not kept alive.
    ///   - handler: what takes the action back.
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
      if !isUndoing, !isRedoing { redoStack.removeAll() }
      openGroups.last?.append(
        UndoAction(target: target) { [weak target] in
          if let target { handler(target) }
        })
    }

    private func endEventLater() {
      guard Thread.isMainThread else { return }
      DispatchQueue.main.async { [weak self] in self?.endEvent() }
    }

    /// Forgets every action.
    open func removeAllActions() {
      undoStack.removeAll()
      redoStack.removeAll()
      for group in openGroups { group.removeAll { _ in true } }
    }

    /// Forgets the actions of a target.
    open func removeAllActions(withTarget target: Any) {
      let identity = ObjectIdentifier(target as AnyObject)
      for group in undoStack + redoStack + openGroups { group.removeAll { $0.target == identity } }
      undoStack.removeAll(where: \.isEmpty)
      redoStack.removeAll(where: \.isEmpty)
    }

    // MARK: Undo and redo

    /// Whether there is something to take back.
    open var canUndo: Bool { !undoStack.isEmpty || openGroups.contains { !$0.isEmpty } }

    /// Whether there is something to make again.
    open var canRedo: Bool {
      post(.NSUndoManagerCheckpoint)
      return !redoStack.isEmpty
    }

    /// How many groups can be taken back.
    open var undoCount: Int { undoStack.count }
    /// How many groups can be made again.
    open var redoCount: Int { redoStack.count }

    /// Takes the last group back. An outermost group that is open is closed first.
    open func undo() {
      post(.NSUndoManagerCheckpoint)
      if openGroups.count == 1 { endUndoGrouping() }
      precondition(
        openGroups.isEmpty, "-[UndoManager undo]: undo was called with too many nested undo groups")
      undoNestedGroup()
    }

    /// Takes the last group back, with no group open.
    open func undoNestedGroup() {
      precondition(
        openGroups.isEmpty, "-[UndoManager undoNestedGroup]: undo was called with an open group")
      post(.NSUndoManagerCheckpoint)
      guard !isUndoing, !isRedoing, let group = undoStack.popLast() else { return }
      post(.NSUndoManagerWillUndoChange)
      isUndoing = true
      run(group)
      isUndoing = false
      post(.NSUndoManagerDidUndoChange)
    }

    /// Makes again what was taken back last.
    open func redo() {
      post(.NSUndoManagerCheckpoint)
      precondition(
        openGroups.isEmpty, "-[UndoManager redo]: redo was called with an open group")
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
      group.run()
      close()
    }

    // MARK: Names

    /// What the next undo takes back, for menus; empty when it has no name.
    open var undoActionName: String { (openGroups.first ?? undoStack.last)?.name ?? "" }
    /// What the next redo makes again, for menus; empty when it has no name.
    open var redoActionName: String { redoStack.last?.name ?? "" }

    /// Names the group that is open, or was closed last.
    open func setActionName(_ actionName: String) {
      (openGroups.first ?? undoStack.last)?.name = actionName
    }

    /// Whether what the next undo takes back can be thrown away when a document is saved or closed.
    open var undoActionIsDiscardable: Bool {
      (openGroups.first ?? undoStack.last)?.isDiscardable ?? false
    }
    /// Whether what the next redo makes again can be thrown away when a document is saved or closed.
    open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

    /// Says whether the group that is open, or was closed last, can be thrown away.
    open func setActionIsDiscardable(_ discardable: Bool) {
      (openGroups.first ?? undoStack.last)?.isDiscardable = discardable
    }

    private func post(_ name: NSNotification.Name) {
      NotificationCenter.default.post(name: name, object: self)
    }
  }
#endif
