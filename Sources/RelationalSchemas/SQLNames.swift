/// Names that are given once.
struct SQLNames {
  /// How many bytes of a name PostgreSQL keeps.
  private static let longest = 63
  private var taken: Set<String>

  /// - Parameter taken: names that nobody gets.
  init(taken: [String] = []) { self.taken = Set(taken.map { $0.lowercased() }) }

  /// The name, shortened where databases would, or one made of it where it is taken; some databases take no notice of
  /// case.
  mutating func take(_ name: String, otherwise: String? = nil) -> String {
    for candidate in [name, otherwise ?? name] {
      let candidate = Self.shortened(candidate)
      if taken.insert(candidate.lowercased()).inserted { return candidate }
    }
    var number = 2
    while true {
      let candidate = Self.shortened("\(otherwise ?? name)_\(number)")
      if taken.insert(candidate.lowercased()).inserted { return candidate }
      number += 1
    }
  }

  /// A name that is no longer than databases keep: its beginning, and a number made of all of it.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > longest else { return name }
    var hash: UInt32 = 2_166_136_261
    for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    let suffix = "_" + String(hash, radix: 36)
    var beginning = name
    while beginning.utf8.count + suffix.utf8.count > longest { beginning.removeLast() }
    return beginning + suffix
  }
}
