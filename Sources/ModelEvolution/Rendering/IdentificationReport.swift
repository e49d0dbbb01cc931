/// The identification of a store in the forms it can be shown in.
public struct IdentificationReport: ModelReport {
  /// What is shown.
  public let identification: StoreIdentification
  /// What the store is called.
  public let store: String

  /// Makes a report.
  public init(_ identification: StoreIdentification, store: String) {
    self.identification = identification
    self.store = store
  }

  /// The report for people at a terminal.
  public func text(paint: ReportPaint) -> String {
    let exact = identification.exact
    if !exact.isEmpty {
      return paint(.heading, store) + ": made with "
        + paint(.added, exact.joined(separator: ", ")) + "\n"
    }
    guard let nearest = identification.nearest else {
      return paint(.heading, store) + ": there are no models to compare with\n"
    }
    let all = nearest.equalCount + nearest.mismatches.count
    var lines = [
      paint(.heading, store) + ": " + paint(.trouble, "made with none of these models"),
      "nearest is \(nearest.name): \(nearest.equalCount) of \(all) entities are equal",
    ]
    for mismatch in nearest.mismatches {
      lines.append(
        "  " + paint(mismatch.kind.role, "\(mismatch.entity): \(mismatch.kind.sentence)"))
      // Of an entity that one side alone has every property would be told.
      guard mismatch.kind == .differs else { continue }
      lines += mismatch.reasons.map { paint(.note, "    \($0)") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The report for a pull request.
  public var markdown: String { "```\n\(text)```\n" }

  /// The report for programs.
  public var json: JSONReport {
    .object([
      "store": .text(store), "exact": .array(identification.exact.map(JSONReport.text)),
      "ranking": .array(
        identification.ranking.map { match in
          .object([
            "name": .text(match.name), "equal": .integer(Int64(match.equalCount)),
            "mismatches": .array(
              match.mismatches.map { mismatch in
                .object([
                  "entity": .text(mismatch.entity), "kind": .text(mismatch.kind.rawValue),
                  "reasons": .array(mismatch.reasons.map(JSONReport.text)),
                ])
              }),
          ])
        }),
    ])
  }
}

extension StoreIdentification.Mismatch.Kind {
  fileprivate var sentence: String {
    switch self {
    case .onlyInStore: "only the store has it"
    case .onlyInModel: "only the model has it"
    case .differs: "the hashes differ"
    }
  }

  fileprivate var role: ReportRole {
    switch self {
    case .onlyInStore: .removed
    case .onlyInModel: .added
    case .differs: .changed
    }
  }
}
