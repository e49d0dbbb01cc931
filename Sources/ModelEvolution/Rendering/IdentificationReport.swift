/// A report of the identification of a store, in several formats.
public struct IdentificationReport: ModelReport {
  /// The identification to report.
  public let identification: StoreIdentification
  /// The display name of the store.
  public let store: String

  /// Creates a report.
  public init(_ identification: StoreIdentification, store: String) {
    self.identification = identification
    self.store = store
  }

  /// The report for terminals.
  public func text(paint: ReportPaint) -> String {
    let exact = identification.exact
    if !exact.isEmpty {
      return paint(.heading, store) + ": created with "
        + paint(.added, exact.joined(separator: ", ")) + "\n"
    }
    guard let nearest = identification.nearest else {
      return paint(.heading, store) + ": there are no models to compare with\n"
    }
    let all = nearest.equalCount + nearest.mismatches.count
    var lines = [
      paint(.heading, store) + ": " + paint(.trouble, "created with none of these models"),
      "closest is \(nearest.name): \(nearest.equalCount) of \(all) entities are equal",
    ]
    for mismatch in nearest.mismatches {
      lines.append(
        "  " + paint(mismatch.kind.role, "\(mismatch.entity): \(mismatch.kind.sentence)"))
      // For an entity that only one side has, every property would be listed.
      guard mismatch.kind == .differs else { continue }
      lines += mismatch.reasons.map { paint(.note, "    \($0)") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The report for pull requests.
  public var markdown: String { "```\n\(text)```\n" }

  /// The machine-readable report.
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
