import DataModels
import Foundation

/// The escaping of text in XML stores, the same as Core Data's.
///
/// A backslash is doubled. These characters are written as `\u` and the four hexadecimal digits of each UTF-16 unit,
/// with its bytes swapped (`<` is `\u3c00`): `<`, `>`, `&`, characters below the space other than line feed and tab,
/// and everything above U+D7FF, that is U+E000 to U+FFFF, although XML allows these, and the surrogates of
/// supplementary characters.
enum XMLStoreText {
  /// Appends the escaped bytes of a text.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    guard text.utf8.allSatisfy(isPlain) else { return appendEscaping(text, to: &bytes) }
    bytes.append(contentsOf: text.utf8)
  }

  /// Whether a UTF-8 byte needs no escaping; characters from U+D000 on are examined more closely.
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

  /// The text of an element's content. A backslash before any other character is kept.
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

  /// The value of four hexadecimal digits.
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

  /// A name quoted for use in an XML attribute: names of entities and properties may contain any letters.
  static func quoted(_ name: String) -> String { name.escapingMarkup(inAttribute: true) }
}
