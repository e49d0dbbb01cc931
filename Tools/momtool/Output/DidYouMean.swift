import ModelSource

/// Suggests what the user probably intended.
enum DidYouMean {
  /// ` (did you mean 'Author'?)`, with the candidate closest to a word; otherwise the list of candidates if there are
  /// few, or nothing.
  static func text(_ word: String, among candidates: [String]) -> String {
    let sorted = candidates.sorted()
    if let nearest = SpellingSuggestion.nearest(to: word, among: sorted) {
      return " (did you mean '\(nearest)'?)"
    }
    // Part of a longer name, such as `note` in `ICNote`.
    let holding = sorted.filter { word.count > 2 && $0.lowercased().contains(word.lowercased()) }
    if !holding.isEmpty, holding.count <= 3 {
      return " (did you mean \(holding.map { "'\($0)'" }.joined(separator: " or "))?)"
    }
    guard !sorted.isEmpty, sorted.count <= 30 else { return "" }
    return "; there are \(sorted.joined(separator: ", "))"
  }
}
