/// Something that goes wrong with the files below a step of a program.
struct Fault: Codable, Hashable {
  enum Kind: String, Codable, CaseIterable {
    /// Somebody else has the write lock, for longer than anybody waits.
    case busy
    /// The disk is full.
    case full
    /// The disk can't be written any more.
    case writeError
    /// What was written can't be made durable.
    case syncError
    case readError
    case readOnly
    /// There is something in the way of the folder of external files.
    case noFolder
    /// No file may become longer than a hundred kilobytes or so: external files are cut short.
    case longFiles
    /// The process ends before a call.
    case kill
    /// The process ends in the middle of a write.
    case tear
    /// The process ends in the middle of an external file.
    case cut
  }

  var kind: Kind
  /// Which of the calls that can fail so is the first to, counted from 1.
  var call: Int
  /// Whether those that follow fail as well.
  var isLasting = true
  /// Whether the step is done again without the fault, or else the context rolled back.
  var isRetried = true

  /// Whether it ends the process.
  var isKill: Bool { kind == .kill || kind == .tear || kind == .cut }
}

extension Fault: CustomStringConvertible {
  var description: String {
    switch kind {
    case .noFolder, .longFiles, .cut: kind.rawValue
    case .kill, .tear: "\(kind.rawValue) at call \(call)"
    default:
      "\(kind.rawValue) at call \(call)" + (isLasting ? " and after" : "")
        + (isRetried ? "" : ", then rollback")
    }
  }
}

extension Fault {
  /// A fault for a step that writes.
  static func random(_ random: inout RandomSource) -> Fault {
    let kind = random.pick(Kind.allCases) ?? .full
    let calls =
      switch kind {
      case .busy, .noFolder, .longFiles, .cut: 2
      // Counted round and round among the calls that the step makes.
      case .kill, .tear: 1000
      case .syncError: 3
      default: 12
      }
    return Fault(
      kind: kind, call: 1 + random.below(calls), isLasting: kind == .busy || random.happens(60),
      isRetried: random.happens(80))
  }
}
