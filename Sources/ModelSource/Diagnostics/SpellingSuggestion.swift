/// Finds the word that was probably meant.
package enum SpellingSuggestion {
  /// The candidate nearest to `word`, if one is near enough; the first of equally near ones.
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    // One letter of two is half of the word: everything would be near.
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

  /// The number of insertions, deletions and replacements between two words; a number over `limit`
  /// when there are more than that.
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
