extension String {
  /// The string's characters as `NSString` composes them: a carriage return and a line feed are two, where
  /// Swift has one.
  var clusters: [Character] {
    var clusters: [Character] = []
    clusters.reserveCapacity(utf8.count)
    for character in self {
      if character == "\r\n" {
        clusters += ["\r", "\n"]
      } else {
        clusters.append(character)
      }
    }
    return clusters
  }
}
