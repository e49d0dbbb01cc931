/// A report of the difference between two models, in several formats.
///
/// ```swift
/// let report = DifferenceReport(difference, from: "V3", to: "V4")
/// print(report.text)
/// ```
public struct DifferenceReport: ModelReport {
  /// The difference to report.
  public let difference: ModelDifference
  /// The display name of the old model.
  public let oldName: String
  /// The display name of the new model.
  public let newName: String

  /// Creates a report.
  public init(_ difference: ModelDifference, from oldName: String, to newName: String) {
    self.difference = difference
    self.oldName = oldName
    self.newName = newName
  }

  /// The changes grouped by entity, or under the model.
  private var groups: [(title: String, changes: [ModelChange])] {
    var groups: [(title: String, changes: [ModelChange])] = []
    for change in difference.changes {
      let title = change.path.entityName.map { "entity \($0)" } ?? "model"
      if groups.last?.title == title {
        groups[groups.count - 1].changes.append(change)
      } else {
        groups.append((title, [change]))
      }
    }
    return groups
  }

  private var summary: String {
    guard !difference.isEmpty else { return "no difference" }
    let all = difference.changes.count
    let hashed = difference.changes.filter(\.changesHash).count
    return "\(all) change\(all == 1 ? "" : "s"), \(hashed) of \(all == 1 ? "it" : "them")"
      + " in version hashes"
  }

  /// The report for terminals: one line per change, grouped by entity.
  public func text(paint: ReportPaint) -> String {
    var lines = [paint(.heading, "\(oldName) → \(newName)") + ": \(summary)"]
    for group in groups {
      lines.append(paint(.heading, group.title))
      var reason: String?
      for change in group.changes {
        lines.append(textLine(change, paint, isReasonTold: change.reason == reason))
        reason = change.reason
      }
    }
    if !difference.entitiesChangedByReference.isEmpty {
      lines.append(
        paint(
          .note,
          "also changed are the hashes of entities that inherit from or refer to these: "
            + difference.entitiesChangedByReference.joined(separator: ", ")))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// - Parameter isReasonTold: Whether the previous line has the same reason.
  private func textLine(
    _ change: ModelChange, _ paint: ReportPaint, isReasonTold: Bool
  ) -> String {
    let role: ReportRole =
      switch change.kind {
      case .added: .added
      case .removed: .removed
      case .renamed, .moved, .changed: .changed
      }
    let mark = change.changesHash ? "hash" : "no hash"
    return "  " + paint(role, "\(change.sign) \(change.phrase)")
      + paint(.note, isReasonTold ? "  (\(mark))" : "  (\(mark): \(change.reason))")
  }

  /// The report for pull requests: a table for each entity.
  public var markdown: String {
    var lines = ["### \(Markdown.text(oldName)) → \(Markdown.text(newName))", "", "\(summary)."]
    for group in groups {
      lines += [
        "", "**\(Markdown.text(group.title))**", "", "| | change | hash |", "|---|---|---|",
      ]
      lines += group.changes.map { change in
        "| \(change.sign) | \(Markdown.text(change.phrase)) |"
          + " \(change.changesHash ? "**changes**" : "same"): \(Markdown.text(change.reason)) |"
      }
    }
    if !difference.entitiesChangedByReference.isEmpty {
      let names = difference.entitiesChangedByReference.map(Markdown.text).joined(separator: ", ")
      lines += [
        "",
        "Also changed are the hashes of entities that inherit from or refer to these: \(names).",
      ]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The machine-readable report.
  public var json: JSONReport {
    .object([
      "old": .text(oldName), "new": .text(newName), "identical": .flag(difference.isEmpty),
      "changesHash": .flag(difference.changesHash),
      "changes": .array(difference.changes.map(\.json)),
      "entitiesChangedByReference": .array(
        difference.entitiesChangedByReference.map(JSONReport.text)),
    ])
  }
}

extension ModelChange {
  /// A sign as used in diffs.
  var sign: String {
    switch kind {
    case .added: "+"
    case .removed: "-"
    case .renamed: "→"
    case .moved: "↕"
    case .changed: "~"
    }
  }

  /// The change without its entity.
  var phrase: String {
    let name =
      path.isInsideEntity ? path.name : elementKind == .entity ? path.name : path.description
    switch kind {
    case .added, .removed:
      return "\(elementKind.rawValue) \(name)" + (element.map { $0.gist } ?? "")
    case .renamed: return "\(elementKind.rawValue) \(oldPath?.name ?? "") is called \(name)"
    case .moved where fact != nil: return "parent: \(oldValue) → \(newValue)"
    case .moved: return "\(elementKind.rawValue) \(name) came from \(oldPath?.entityName ?? "")"
    case .changed:
      let subject =
        path.isInsideEntity
        ? "\(name): " : elementKind == .entity || elementKind == .model ? "" : "\(path): "
      return "\(subject)\(fact ?? "") \(oldValue) → \(newValue)"
    }
  }

  /// The change as JSON.
  var json: JSONReport {
    .compact([
      "kind": .text(kind.rawValue), "path": path.json, "oldPath": oldPath?.json ?? .null,
      "element": .text(elementKind.rawValue), "fact": .optional(fact),
      "old": fact == nil ? .null : oldValue.json, "new": fact == nil ? .null : newValue.json,
      "contents": element?.json ?? .null, "changesHash": .flag(changesHash),
      "reason": .text(reason),
    ])
  }
}

extension ModelElement {
  /// The most important facts, in brackets.
  fileprivate var gist: String {
    var words: [String] = []
    if case .choice(_, let word) = self["type"] { words.append(word) }
    if kind == .relationship {
      words.append(self["maxCount"].integer == 1 ? "to-one" : "to-many")
      if let destination = self["destination"].entityName { words.append(destination) }
    }
    if kind.isProperty { words.append(self["optional"].isTrue ? "optional" : "mandatory") }
    if self["transient"].isTrue { words.append("transient") }
    if self["default"] != .none { words.append("default \(self["default"])") }
    return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
  }

  /// The element's facts, without default values.
  var json: JSONReport {
    let said = facts.filter { $0.1 != .none && $0.1 != .flag(false) }
    return .object(Dictionary(said.map { ($0.0.name, $0.1.json) }) { first, _ in first })
  }
}

/// Formats text as Markdown.
enum Markdown {
  /// Escapes characters that are special in Markdown.
  static func text(_ text: String) -> String {
    var escaped = ""
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      switch scalar {
      case "|", "*", "_", "`", "[", "]", "<", ">", "#", "\\": escaped += "\\\(scalar)"
      case "\n" where previous == "\r": break
      case "\n", "\r": escaped += " "
      default: escaped.unicodeScalars.append(scalar)
      }
      previous = scalar
    }
    return escaped
  }
}
