/// A file system failure during a step of a program.
struct Fault: Codable, Sendable, Hashable {
  enum Kind: String, Codable, Sendable, CaseIterable {
    /// Another connection holds the write lock for longer than the timeout.
    case busy
    /// The disk is full.
    case full
    /// Writing to the disk fails.
    case writeError
    /// Synchronizing a file to the disk fails.
    case syncError
    case readError
    case readOnly
    /// A file blocks the path of the folder of external files.
    case noFolder
    /// No file can grow beyond a hundred kilobytes or so: external files are cut short.
    case longFiles
    /// The process ends before a call.
    case kill
    /// The process ends in the middle of a write.
    case tear
    /// The process ends in the middle of writing an external file.
    case cut
  }

  var kind: Kind
  /// Which of the calls that the fault can affect fails first, counted from 1.
  var call: Int
  /// Whether the calls after it fail as well.
  var isPermanent = true
  /// Whether the step is retried without the fault; otherwise the context is rolled back.
  var isRetried = true

  /// Whether the fault ends the process.
  var isKill: Bool { kind == .kill || kind == .tear || kind == .cut }
}

extension Fault: CustomStringConvertible {
  var description: String {
    switch kind {
    case .noFolder, .longFiles, .cut: kind.rawValue
    case .kill, .tear: "\(kind.rawValue) at call \(call)"
    default:
      "\(kind.rawValue) at call \(call)" + (isPermanent ? " and after" : "")
        + (isRetried ? "" : ", then rollback")
    }
  }
}

extension Fault {
  /// A random fault for a step that writes.
  static func random(_ random: inout RandomSource) -> Fault {
    let kind = random.pick(Kind.allCases) ?? .full
    let calls =
      switch kind {
      case .busy, .noFolder, .longFiles, .cut: 2
      // Taken modulo the number of calls that the step makes.
      case .kill, .tear: 1000
      case .syncError: 3
      default: 12
      }
    return Fault(
      kind: kind, call: 1 + random.below(calls), isPermanent: kind == .busy || random.happens(60),
      isRetried: random.happens(80))
  }
}
