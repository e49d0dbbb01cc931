import Foundation

/// Where the tool's data goes.
enum StandardOutput {
  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Lets a write to a pipe that nobody reads fail, where it would end the process with a signal.
  static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes a text, all of it.
  ///
  /// A pipe whose reader has gone, as with `momtool dump … | head`, is no error: the rest is
  /// dropped.
  ///
  /// - Throws: ``Diagnostic`` when the text can't be written, as on a full disk.
  static func write(_ text: String) throws {
    var text = text
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
  }

  /// Writes bytes, all of them.
  static func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Foundation.write(
        STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE {
        return
      } else if errno != EINTR {
        throw Diagnostic("can't write to standard output: \(String(cString: strerror(errno)))")
      }
    }
  }
}
