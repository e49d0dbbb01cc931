/// Searches for a string in other strings, always in linear time.
struct StringSearch: Sendable {
  private let needle: String
  private let bytes: Needle<UInt8>?
  private let characters: Needle<Character>

  /// - Parameter needle: The string to search for.
  init(_ needle: String) {
    self.needle = needle
    let isASCII = needle.utf8.allSatisfy { $0 < 0x80 }
    bytes = isASCII ? Needle(Array(needle.utf8)) : nil
    characters = Needle(needle.clusters)
  }

  /// Whether the string occurs at character boundaries.
  func occurs(in string: String) -> Bool {
    if let bytes,
      let found = string.utf8.withContiguousStorageIfAvailable({ buffer in
        buffer.allSatisfy { $0 < 0x80 } ? bytes.occurs(in: buffer) : nil
      }), let found
    {
      return found
    }
    return characters.occurs(in: string.clusters)
  }

  /// The same for text whose bytes are all ASCII.
  func occurs(inASCII text: some Sequence<UInt8>) -> Bool { bytes?.occurs(in: text) ?? false }

  /// A needle and how far to fall back at each mismatch (Knuth, Morris and Pratt).
  private struct Needle<Element: Equatable & Sendable>: Sendable {
    private let elements: [Element]
    private let fallback: [Int]

    init(_ elements: [Element]) {
      self.elements = elements
      var fallback = [Int](repeating: 0, count: elements.count)
      var length = 0
      for index in elements.indices.dropFirst() {
        while length > 0, elements[index] != elements[length] { length = fallback[length - 1] }
        if elements[index] == elements[length] { length += 1 }
        fallback[index] = length
      }
      self.fallback = fallback
    }

    func occurs(in haystack: some Sequence<Element>) -> Bool {
      if elements.isEmpty { return true }
      var length = 0
      for element in haystack {
        while length > 0, element != elements[length] { length = fallback[length - 1] }
        if element == elements[length] { length += 1 }
        if length == elements.count { return true }
      }
      return false
    }
  }
}

/// A prefix or suffix to test strings for.
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

  /// The same for text whose bytes are all ASCII.
  func begins(ascii text: some Sequence<UInt8>) -> Bool {
    isASCII && text.starts(with: self.text.utf8)
  }

  func ends(_ string: String) -> Bool {
    isASCII && string.utf8.allSatisfy { $0 < 0x80 }
      ? string.utf8.reversed().starts(with: text.utf8.reversed())
      : string.clusters.reversed().starts(with: clusters.reversed())
  }

  /// The same for text whose bytes are all ASCII.
  func ends(ascii text: some BidirectionalCollection<UInt8>) -> Bool {
    isASCII && text.reversed().starts(with: self.text.utf8.reversed())
  }
}
