import Foundation

extension PredicateFormatting {
  /// Creates a predicate from a format string and a C argument list, as passed on by a function that takes
  /// `CVarArg...`.
  ///
  /// ```swift
  /// func wanted(_ format: String, _ arguments: CVarArg...) -> NSPredicate {
  ///   withVaList(arguments) { NSPredicate(format: format, arguments: $0) }
  /// }
  /// ```
  ///
  /// - Precondition: As for `init(format:_:)`. In addition, the list must contain what the format specifies, since
  ///   this can't be checked.
  public init(format: String, arguments: CVaListPointer) {
    self.init(format: format, argumentArray: CVaListArguments(format).read(arguments))
  }
}

/// The arguments in a C argument list, as specified by a format.
struct CVaListArguments {
  private enum Kind {
    case object
    case text
    case number(format: String)
  }

  private let kinds: [Kind]

  init(_ format: String) {
    var kinds: [Kind] = []
    // By scalars, like the parser: a quotation mark with a combining mark behind it is another character.
    var rest = Substring(format).unicodeScalars
    var quote: Unicode.Scalar?
    while let next = rest.popFirst() {
      if let open = quote {
        if next == "\\" { rest = rest.dropFirst() } else if next == open { quote = nil }
      } else if next == "\"" || next == "'" {
        quote = next
      } else if next == "%" {
        let modifiers = rest.prefix {
          !$0.properties.isAlphabetic && $0 != "@" && $0 != "%"
            || "hlqztj".unicodeScalars.contains($0)
        }
        rest = rest.dropFirst(modifiers.count)
        guard let conversion = rest.popFirst(), conversion != "%" else { continue }
        let isLong = modifiers.contains { "lqztj".unicodeScalars.contains($0) }
        kinds.append(Self.kind(conversion, isLong: isLong))
      }
    }
    self.kinds = kinds
  }

  private static func kind(_ conversion: Unicode.Scalar, isLong: Bool) -> Kind {
    switch conversion {
    case "@", "K": .object
    case "s", "S": .text
    case "f", "F", "g", "G", "e", "E", "a", "A": .number(format: "%.17g")
    case "u", "U", "o", "O", "x", "X": .number(format: isLong ? "%llu" : "%u")
    default: .number(format: isLong ? "%lld" : "%d")
    }
  }

  /// Reads the arguments from the list. Only C can do that, so a C function formats them as text: numbers as such,
  /// objects and strings as addresses.
  func read(_ list: CVaListPointer) -> [Any] {
    guard !kinds.isEmpty else { return [] }
    let format = kinds.map { kind in
      if case .number(let format) = kind { format } else { "%p" }
    }.joined(separator: " ")
    var buffer = [CChar](repeating: 0, count: kinds.count * 40 + 1)
    let count = vsnprintf(&buffer, buffer.count, format, list)
    let printed = String(
      decoding: buffer.prefix(max(0, Int(count))).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return zip(kinds, printed.split(separator: " ")).map { kind, text in value(kind, text) }
  }

  private func value(_ kind: Kind, _ text: Substring) -> Any {
    switch kind {
    case .number(let format):
      if format.hasSuffix("g") { return Double(text) ?? 0 }
      if let number = Int64(text) { return number }
      return UInt64(text) ?? 0
    case .object, .text:
      guard text.hasPrefix("0x"), let bits = UInt(text.dropFirst(2), radix: 16),
        let address = UnsafeRawPointer(bitPattern: bits)
      else { return NSNull() }
      if case .text = kind {
        return String(cString: address.assumingMemoryBound(to: CChar.self))
      }
      return ObjectArguments.object(at: address)
    }
  }
}
