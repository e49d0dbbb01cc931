import Foundation

/// Text as Core Data writes it into XML stores.
///
/// A backslash is doubled. Of other characters, `<`, `>` and `&` and all that aren't line feeds, tabs or between the
/// space and U+D7FF are `\u` and the four digits of their UTF-16 units, the bytes of each unit exchanged: `<` is
/// `\u3c00`. So are U+E000 to U+FFFF, which XML would allow, and the surrogates of what is beyond.
enum XMLStoreText {
  /// Adds the bytes of a text.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    guard text.utf8.allSatisfy(isPlain) else { return appendEscaping(text, to: &bytes) }
    bytes.append(contentsOf: text.utf8)
  }

  /// Whether a byte of UTF-8 stands for itself; those of characters from U+D000 on are looked at more closely.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "\\"): false
    case 0x09, 0x0A, 0x20..<0xED: true
    default: false
    }
  }

  private static func appendEscaping(_ text: String, to bytes: inout [UInt8]) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "\\")])
      case "<", ">", "&": appendEscape(UInt16(truncatingIfNeeded: scalar.value), to: &bytes)
      case "\t", "\n", " "..."\u{D7FF}":
        bytes.append(
          contentsOf: Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter)
      default:
        for unit in Unicode.UTF16.encode(scalar) ?? Unicode.UTF16.encodedReplacementCharacter {
          appendEscape(unit, to: &bytes)
        }
      }
    }
  }

  private static func appendEscape(_ unit: UInt16, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "u")])
    for byte in [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)] {
      bytes.append(digit(byte >> 4))
      bytes.append(digit(byte & 15))
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  /// The text of what an element holds. A backslash before anything else stays.
  static func decode(_ raw: String) -> String {
    guard raw.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == 0x0D }) else { return raw }
    let source = Array(
      raw.replacing("\r\n", with: "\n").replacing("\r", with: "\n").utf16)
    var units: [UInt16] = []
    units.reserveCapacity(source.count)
    let backslash = UInt16(UInt8(ascii: "\\"))
    var at = 0
    while at < source.count {
      let unit = source[at]
      at += 1
      guard unit == backslash, at < source.count else {
        units.append(unit)
        continue
      }
      if source[at] == backslash {
        units.append(backslash)
        at += 1
      } else if source[at] == UInt16(UInt8(ascii: "u")), let value = value(source[(at + 1)...]) {
        units.append(value.byteSwapped)
        at += 5
      } else {
        units.append(unit)
      }
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// The number of four hexadecimal digits.
  private static func value(_ digits: ArraySlice<UInt16>) -> UInt16? {
    guard digits.count >= 4 else { return nil }
    var value: UInt16 = 0
    for unit in digits.prefix(4) {
      guard let scalar = Unicode.Scalar(unit),
        let digit = Character(scalar).hexDigitValue, scalar.isASCII
      else { return nil }
      value = value << 4 | UInt16(digit)
    }
    return value
  }

  /// A name in an attribute of an element: entities and properties may have any letters.
  static func quoted(_ name: String) -> String {
    guard name.utf8.contains(where: { "&<>\"".utf8.contains($0) }) else { return name }
    return name.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }
}
