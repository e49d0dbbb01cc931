/// Stops the program because of a programmer error.
///
/// Uses `fatalError`, because the message of a failed precondition is omitted in optimized builds, and the message
/// identifies the call at fault.
enum Misuse {
  /// Stops the program with a message that names the call.
  @inline(never)
  static func trap(_ message: String) -> Never {
    fatalError(message)
  }

  /// Stops the program with a message that names the call, unless the condition holds.
  static func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { trap(message()) }
  }
}

/// Stops the program when a setter of a description in use is called.
///
/// A model becomes read-only when a coordinator uses it, because from then on every context reads it without a lock.
/// Changing it later is a programmer error, so it traps with a message that names the setter, as Core Data's exception
/// does.
enum Freezing {
  /// The message of the trap: ``-[NSEntityDescription setName:]: can't modify …``.
  static func message(_ type: StaticString, _ selector: StaticString) -> String {
    "-[\(type) \(selector)]: can't modify a model that is in use; copy it first"
  }

  /// Stops the program with ``message(_:_:)``.
  @inline(never)
  static func trap(_ type: StaticString, _ selector: StaticString) -> Never {
    Misuse.trap(message(type, selector))
  }
}
