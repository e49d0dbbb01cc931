import ModelSource

/// What somebody probably meant to write.
enum DidYouMean {
  /// ` (did you mean 'Author'?)`, with the candidate nearest to a word; else, when there are few candidates,
  /// what there is; else nothing.
  static func text(_ word: String, among candidates: [String]) -> String {
    let sorted = candidates.sorted()
    if let nearest = SpellingSuggestion.nearest(to: word, among: sorted) {
      return " (did you mean '\(nearest)'?)"
    }
    // A part of a longer name, as `note` of `ICNote`.
    let holding = sorted.filter { word.count > 2 && $0.lowercased().contains(word.lowercased()) }
    if !holding.isEmpty, holding.count <= 3 {
      return " (did you mean \(holding.map { "'\($0)'" }.joined(separator: " or "))?)"
    }
    guard !sorted.isEmpty, sorted.count <= 30 else { return "" }
    return "; there are \(sorted.joined(separator: ", "))"
  }
}
