#if !canImport(ObjectiveC)
  import Foundation

  /// Menu titles.
  extension UndoManager {
    /// "Undo" with the action's name.
    public final var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    /// "Redo" with the action's name.
    public final var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// "Undo" with a name.
    public final func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// "Redo" with a name.
    public final func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }
  }

  extension NSNotification.Name {
    /// Posted by an undo manager before it checks whether there is anything to undo, when a nested group is opened,
    /// and when any group is closed: observers with pending changes register them now.
    public static let NSUndoManagerCheckpoint = NSNotification.Name(
      "NSUndoManagerCheckpointNotification")
    /// Posted by an undo manager before an undo.
    public static let NSUndoManagerWillUndoChange = NSNotification.Name(
      "NSUndoManagerWillUndoChangeNotification")
    /// Posted by an undo manager after an undo.
    public static let NSUndoManagerDidUndoChange = NSNotification.Name(
      "NSUndoManagerDidUndoChangeNotification")
    /// Posted by an undo manager before a redo.
    public static let NSUndoManagerWillRedoChange = NSNotification.Name(
      "NSUndoManagerWillRedoChangeNotification")
    /// Posted by an undo manager after a redo.
    public static let NSUndoManagerDidRedoChange = NSNotification.Name(
      "NSUndoManagerDidRedoChangeNotification")
    /// Posted by an undo manager when it opened a group.
    public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name(
      "NSUndoManagerDidOpenUndoGroupNotification")
    /// Posted by an undo manager before it closes a group.
    public static let NSUndoManagerWillCloseUndoGroup = NSNotification.Name(
      "NSUndoManagerWillCloseUndoGroupNotification")
    /// Posted by an undo manager after it closed a group.
    public static let NSUndoManagerDidCloseUndoGroup = NSNotification.Name(
      "NSUndoManagerDidCloseUndoGroupNotification")
  }
#endif
