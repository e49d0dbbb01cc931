/// How a programmer's error stops the program.
///
/// `fatalError`, because the text of a failed precondition is left out of optimised programs, and
/// the text is what tells which call it was.
package enum Misuse {
  /// Ends the program with a message that names the call.
  @inline(never)
  package static func trap(_ message: String) -> Never {
    fatalError(message)
  }

  /// Ends the program with a message that names the call, unless the condition holds.
  package static func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { trap(message()) }
  }
}
