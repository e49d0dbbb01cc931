/// What other strings begin or end with.
struct StringEnd: Sendable {
  private let text: String
  private let isASCII: Bool
  private let clusters: [Character]

  init(_ text: String) {
    self.text = text
    isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    clusters = text.clusters
  }

  func begins(_ string: String) -> Bool {
    isASCII && string.utf8.allSatisfy { $0 < 0x80 }
      ? string.utf8.starts(with: text.utf8) : string.clusters.starts(with: clusters)
  }

  func ends(_ string: String) -> Bool {
    isASCII && string.utf8.allSatisfy { $0 < 0x80 }
      ? string.utf8.reversed().starts(with: text.utf8.reversed())
      : string.clusters.reversed().starts(with: clusters.reversed())
  }
}
