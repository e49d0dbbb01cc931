import ArgumentParser
import Foundation

/// Writes the tool's data to standard output.
enum StandardOutput {
  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Makes a write to a closed pipe fail instead of terminating the process with a signal.
  static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Opens the standard descriptors that were closed when the program started. Otherwise the next file opened would get
  /// the descriptor, and printed text would be written to it.
  static func fillClosedDescriptors() {
    for (number, mode) in [
      (STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
    ] where fcntl(number, F_GETFD) == -1 {
      // The lowest free descriptor is used, which is this one; writing to standard output fails as before.
      _ = open("/dev/null", mode)
    }
  }

  /// Writes a complete text.
  ///
  /// If the reader of a pipe is gone, as with `momtool dump … | head`, the command ends immediately and successfully.
  ///
  /// - Throws: ``Diagnostic`` when the text can't be written, for example because the disk is full; the exit status for
  ///   success when the reader is gone.
  static func write(_ text: String) throws {
    var text = text
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
  }

  /// Writes a report that the command's exit status sums up. The command goes on when the reader of a pipe is gone, so
  /// that `momtool lint … | head` still fails where pipes do.
  ///
  /// - Throws: ``Diagnostic`` when the text can't be written.
  static func writeReport(_ text: String) throws {
    do {
      try write(text)
    } catch let code as ExitCode where code == .success {
      // Nobody reads it.
    }
  }

  /// The width of the terminal in characters; 0 if there is none.
  static var width: Int {
    guard isTerminal else { return 0 }
    var size = winsize()
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80
  }

  /// Makes the argument parser wrap help for 40 columns at least: below 27, it ends the program.
  static func widenNarrowTerminal() {
    var size = winsize()
    let reported = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
    let stated = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
    if stated.map({ $0 < 40 }) ?? (1..<40).contains(reported) { setenv("COLUMNS", "40", 1) }
  }

  /// Writes UTF-8; on a terminal, optionally replaces control characters by visible symbols.
  static func write(_ bytes: [UInt8], escapingOnTerminals: Bool = false) throws {
    if escapingOnTerminals, isTerminal {
      return try write(
        TerminalText.escaped(String(decoding: bytes, as: UTF8.self), keepingLines: true))
    }
    try bytes.withUnsafeBytes { try write($0) }
  }

  /// Writes all bytes.
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
