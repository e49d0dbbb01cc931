import ArgumentParser

/// The statuses that momtool ends with, besides 0 for success and 64 for a wrong command line.
enum ExitStatus {
  /// Something differs, or something was found.
  static let findings = ExitCode(1)
  /// An input can't be read or an output can't be written.
  static let trouble = ExitCode(2)
}
