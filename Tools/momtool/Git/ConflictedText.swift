import Foundation

/// A text with git's markers around the lines that conflict.
struct ConflictedText {
  /// Whose lines to take.
  enum Side: CaseIterable {
    case theirs, ours
  }

  private enum Section {
    case ours, base, theirs
  }

  private let text: Data

  init(_ text: Data) {
    self.text = text
  }

  /// The text with the lines of one side where there are conflicts, conflicts in these included; nil if there are none,
  /// or their markers aren't complete.
  func resolved(to side: Side) -> Data? {
    var result = Data()
    var isConflicted = false
    var sections: [Section] = []
    for line in lines {
      switch Self.marker(line) {
      case UInt8(ascii: "<"):
        isConflicted = true
        sections.append(.ours)
      case UInt8(ascii: "|") where sections.last == .ours:
        sections[sections.count - 1] = .base
      case UInt8(ascii: "=") where !sections.isEmpty:
        sections[sections.count - 1] = .theirs
      case UInt8(ascii: ">") where sections.last == .theirs:
        sections.removeLast()
      default:
        let isTaken = sections.allSatisfy { $0 == (side == .ours ? .ours : .theirs) }
        if isTaken { result.append(line) }
      }
    }
    return isConflicted && sections.isEmpty ? result : nil
  }

  /// The lines, with their ends.
  private var lines: some Sequence<Data> {
    sequence(state: text[...]) { rest -> Data? in
      guard !rest.isEmpty else { return nil }
      let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
      defer { rest = rest[end...] }
      return rest[..<end]
    }
  }

  /// The character that a marker consists of: at least seven at the start of the line, and then a space or nothing.
  private static func marker(_ line: Data) -> UInt8? {
    guard let first = line.first, "<|=>".utf8.contains(first) else { return nil }
    let rest = line.drop { $0 == first }
    let isEnded = rest.first.map { " \r\n".utf8.contains($0) } ?? true
    return line.count - rest.count >= 7 && isEnded ? first : nil
  }
}
