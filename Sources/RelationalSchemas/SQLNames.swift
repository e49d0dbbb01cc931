/// Assigns unique names.
struct SQLNames {
  /// The maximum length of PostgreSQL's identifiers, in bytes.
  private static let longest = 63
  /// PostgreSQL's system columns, which every table has, under names in lowercase only.
  static let systemColumns: Set<String> = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"]

  private var taken: Set<String>
  private let reserved: Set<String>

  /// - Parameters:
  ///   - taken: names that aren't given again, in whatever case.
  ///   - reserved: names that aren't given, but in another case.
  init(taken: [String] = [], reserved: Set<String> = []) {
    self.taken = Set(taken.map { $0.lowercased() })
    self.reserved = reserved
  }

  /// Returns the name, shortened to fit databases' limits, or a variation if it is taken. Case is ignored, as some
  /// databases do.
  mutating func take(_ name: String, otherwise: String? = nil) -> String {
    for candidate in [name, otherwise ?? name] where !reserved.contains(candidate) {
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

  /// Returns a name within the length limit: its beginning and a hash of the whole.
  static func shortened(_ name: String) -> String {
    guard name.utf8.count > longest else { return name }
    var hash: UInt32 = 2_166_136_261
    for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    let suffix = "_" + String(hash, radix: 36)
    var beginning = name
    while beginning.utf8.count + suffix.utf8.count > longest { beginning.removeLast() }
    return beginning + suffix
  }
}
