import Foundation

/// The results of a port.
public struct PortReport: Sendable, Codable {
  /// The number of sources examined.
  public var fileCount = 0
  /// The number of files in the copy that are new or changed.
  public var writtenCount = 0
  /// The notes on what was rewritten and what needs attention, in the order of the sources.
  public var notes: [PortNote] = []
  /// The paths of files in the copy that someone had changed since the last port, and that were overwritten or removed.
  public var overwritten: [String] = []

  /// The notes on what needs attention.
  public var left: [PortNote] { notes.filter { $0.advice != nil } }

  /// Whether anything needs attention.
  public var needsAttention: Bool { !left.isEmpty || !overwritten.isEmpty }

  /// The report as text: counts of what was rewritten, and the location of each thing that needs attention.
  public var text: String {
    var lines = [
      "\(fileCount) sources ported, \(writtenCount) files written", "",
    ]
    let rewritten = Dictionary(grouping: notes.filter { $0.advice == nil }, by: \.kind)
    for kind in PortNote.Kind.allCases {
      if let count = rewritten[kind]?.count { lines.append("rewritten  \(kind.title): \(count)") }
    }
    if left.isEmpty {
      lines.append("left       nothing")
    }
    for note in left.sorted(by: { ($0.path, $0.line) < ($1.path, $1.line) }) {
      lines.append("\(note.path):\(note.line): \(note.advice ?? "")")
      lines.append("    \(note.text)")
    }
    for path in overwritten {
      lines.append(
        "\(path): what was changed by hand in the copy is lost: change the original instead")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the report as JSON.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}

extension PortNote.Kind {
  /// The heading for counts of this kind.
  var title: String {
    switch self {
    case .managedProperty: "@NSManaged properties"
    case .managedFunction: "@NSManaged methods"
    case .objectiveCAttribute: "Objective-C attributes"
    case .renamedClass: "classes registered by their Objective-C names"
    case .keyPath: "#keyPath"
    case .selector: "#selector"
    case .extensionOverride: "members moved from extensions into their classes"
    case .validator: "classes that list their validation methods"
    case .requestCast: "casts of fetch requests"
    case .setLiteral: "sets initialized from array literals"
    case .setCast: "casts of mutable sets"
    case .import: "imports"
    case .qualifiedName: "names qualified by a module"
    case .condition: "platform conditions"
    case .bundle: "bundles by identifier, and their resources"
    case .observing: "key-value observing"
    case .runtime: "uses of the Objective-C runtime"
    case .framework: "frameworks of Apple's platforms"
    case .encoding: "sources in other encodings"
    }
  }
}
