/// How a programmer's error stops the program.
///
/// `fatalError`, because the text of a failed precondition is left out of optimised programs, and
/// the text is what tells which call it was.
enum Misuse {
  /// Ends the program with a message that names the call.
  @inline(never)
  static func trap(_ message: String) -> Never {
    fatalError(message)
  }

  /// Ends the program with a message that names the call, unless the condition holds.
  static func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { trap(message()) }
  }
}

/// How a setter of a description that is in use stops the program.
///
/// A model becomes read-only when a coordinator takes it, because every context reads it without
/// a lock from then on. Changing it later is a programmer's error, so it traps, with a message that
/// names the setter in the way Core Data's own exception does.
enum Freezing {
  /// The text of the trap: ``-[NSEntityDescription setName:]: can't modify …``.
  static func message(_ type: StaticString, _ selector: StaticString) -> String {
    "-[\(type) \(selector)]: can't modify a model that is in use; copy it first"
  }

  /// Ends the program with ``message(_:_:)``.
  @inline(never)
  static func trap(_ type: StaticString, _ selector: StaticString) -> Never {
    Misuse.trap(message(type, selector))
  }
}
