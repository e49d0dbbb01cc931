/// Finds the intended spelling of a misspelled word.
package enum SpellingSuggestion {
  /// The candidate closest to `word`, if one is close enough; among equally close ones, the first.
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    // In a word of two letters, a single edit is half of the word, so everything would be close.
    guard (3...64).contains(word.utf8.count) else { return nil }
    let lowercased = Array(word.lowercased().utf8)
    let limit = max(1, (lowercased.count + 1) / 3)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates where candidate != word {
      let distance = distance(lowercased, Array(candidate.lowercased().utf8), limit: limit)
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
  }

  /// The number of insertions, deletions and replacements between two words; if it exceeds `limit`, some number greater
  /// than `limit`.
  private static func distance(_ first: [UInt8], _ second: [UInt8], limit: Int) -> Int {
    guard abs(first.count - second.count) <= limit else { return limit + 1 }
    var row = Array(0...second.count)
    for (index, byte) in first.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, other) in second.enumerated() {
        let replaced = diagonal + (byte == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[second.count]
  }
}
