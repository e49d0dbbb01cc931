import ArgumentParser
import Foundation

/// Where the tool's data goes.
enum StandardOutput {
  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Lets a write to a pipe that nobody reads fail, where it would end the process with a signal.
  static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Has the three standard descriptors be something: of those that were closed when the program began the next file
  /// that is opened would take the place, and what is printed would go into it.
  static func fillClosedDescriptors() {
    for (number, mode) in [
      (STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
    ] where fcntl(number, F_GETFD) == -1 {
      // The lowest that is free, and so this one; standard output can't be written to, as before.
      _ = open("/dev/null", mode)
    }
  }

  /// Writes a text, all of it.
  ///
  /// A pipe whose reader has gone, as with `momtool dump … | head`, ends the command at once and with
  /// success: nobody wants the rest.
  ///
  /// - Throws: ``Diagnostic`` when the text can't be written, as on a full disk; the status of success when
  ///   nobody reads.
  static func write(_ text: String) throws {
    var text = text
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
  }

  /// How wide the terminal is, in characters; 0 when there is none.
  static var width: Int {
    guard isTerminal else { return 0 }
    var size = winsize()
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80
  }

  /// Writes UTF-8; on a terminal, if that is wanted, with signs for what would control it.
  static func write(_ bytes: [UInt8], escapingOnTerminals: Bool = false) throws {
    if escapingOnTerminals, isTerminal {
      return try write(
        TerminalText.escaped(String(decoding: bytes, as: UTF8.self), keepingLines: true))
    }
    try bytes.withUnsafeBytes { try write($0) }
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
        throw ExitCode.success
      } else if errno != EINTR {
        throw Diagnostic("can't write to standard output: \(String(cString: strerror(errno)))")
      }
    }
  }
}
