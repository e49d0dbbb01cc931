/// The pattern of a `LIKE` comparison: `?` matches one character, `*` any sequence of characters, and a backslash
/// escapes the next character.
///
/// It is matched directly rather than by a regular expression. Backtracking is limited to the last `*`, so the worst
/// case is the product of the lengths, which is bounded as well.
struct WildcardPattern: Sendable {
  private let characters: [Piece<Character>]
  /// The same as bytes, if the pattern is ASCII.
  private let bytes: [Piece<UInt8>]?

  /// The most steps allowed for a match, about a second's work.
  private static let stepLimit = 100_000_000

  private enum Piece<Element: Equatable & Sendable>: Equatable, Sendable {
    case one(Element)
    case anyOne
    case anyRun
  }

  init(_ text: String) {
    var pieces: [Piece<Character>] = []
    var isEscaped = false
    for character in text.clusters {
      if isEscaped {
        pieces.append(.one(character))
        isEscaped = false
      } else {
        switch character {
        case "\\": isEscaped = true
        case "?": pieces.append(.anyOne)
        case "*": if pieces.last != .anyRun { pieces.append(.anyRun) }
        default: pieces.append(.one(character))
        }
      }
    }
    if isEscaped { pieces.append(.one("\\")) }
    characters = pieces
    let ascii = pieces.compactMap { piece -> Piece<UInt8>? in
      switch piece {
      case .one(let character):
        character.utf8.count == 1 ? character.asciiValue.map { .one($0) } : nil
      case .anyOne: .anyOne
      case .anyRun: .anyRun
      }
    }
    bytes = ascii.count == pieces.count ? ascii : nil
  }

  func matches(_ string: String) throws(PredicateFormatError) -> Bool {
    if let bytes, string.utf8.allSatisfy({ $0 < 0x80 }) {
      return try Self.match(bytes, Array(string.utf8))
    }
    return try Self.match(characters, string.clusters)
  }

  /// The same for text whose bytes are all ASCII.
  func matches(
    ascii text: TextBytes, lowercased isFolded: Bool
  ) throws(PredicateFormatError) -> Bool {
    // A pattern that isn't ASCII requires other characters.
    guard let bytes else { return false }
    return isFolded
      ? try Self.match(bytes, text.lazy.map(\.lowercasedASCII)) : try Self.match(bytes, text)
  }

  private static func match<Elements: RandomAccessCollection>(
    _ pieces: [Piece<Elements.Element>], _ elements: Elements
  ) throws(PredicateFormatError) -> Bool where Elements.Index == Int {
    var piece = 0
    var element = 0
    /// The position of the last `*`, and the end of what it has matched so far.
    var star: (piece: Int, element: Int)?
    var steps = 0
    while element < elements.count {
      steps += 1
      guard steps <= stepLimit else {
        throw PredicateFormatError(.patternTimeout, "the LIKE pattern takes too long to match")
      }
      let fits =
        switch piece < pieces.count ? pieces[piece] : nil {
        case .one(let expected)?: expected == elements[element]
        case .anyOne?: true
        default: false
        }
      if fits {
        piece += 1
        element += 1
      } else if piece < pieces.count, pieces[piece] == .anyRun {
        star = (piece, element)
        piece += 1
      } else if let last = star {
        star = (last.piece, last.element + 1)
        piece = last.piece + 1
        element = last.element + 1
      } else {
        return false
      }
    }
    return pieces[piece...].allSatisfy { $0 == .anyRun }
  }
}

extension UInt8 {
  /// The byte, in lowercase if it is an uppercase ASCII letter.
  var lowercasedASCII: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}
