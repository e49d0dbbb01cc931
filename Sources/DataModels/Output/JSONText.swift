import Foundation

/// Writes JSON in MomKit's format: sorted keys, an indentation of two spaces, a trailing newline, and empty arrays and
/// objects on one line.
package enum JSONText {
  /// A quoted string, with the escapes that JSON requires.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a quoted string.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 { append(escaping: byte, to: &bytes) }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends a byte of a string, escaped if necessary.
  package static func append(escaping byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case UInt8(ascii: "\n"): bytes += "\\n".utf8
    case UInt8(ascii: "\r"): bytes += "\\r".utf8
    case UInt8(ascii: "\t"): bytes += "\\t".utf8
    case 0..<0x20, 0x7F:
      let digits = String(byte, radix: 16)
      bytes += (byte < 0x10 ? "\\u000" : "\\u00").utf8
      bytes += digits.utf8
    default: bytes.append(byte)
    }
  }

  /// Appends the elements of an array, or the members of an object, separated by commas.
  package static func append<Member>(
    _ members: some Sequence<Member>, in brackets: (open: UInt8, close: UInt8),
    to bytes: inout [UInt8], each append: (Member, inout [UInt8]) -> Void
  ) {
    bytes.append(brackets.open)
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(member, &bytes)
    }
    bytes.append(brackets.close)
  }

  package static let array = (open: UInt8(ascii: "["), close: UInt8(ascii: "]"))
  package static let object = (open: UInt8(ascii: "{"), close: UInt8(ascii: "}"))

  /// Encodes a value as JSON text.
  ///
  /// - Throws: `EncodingError` when the value can't be encoded.
  package static func encode(_ value: some Encodable) throws -> String {
    indented(try encoder().encode(value))
  }

  /// An encoder that sorts keys and refuses no number.
  package static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  /// Formats compact JSON with indentation.
  package static func indented(_ compact: some Collection<UInt8>) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(compact.count * 2)
    var depth = 0
    var isInString = false
    var isEscaped = false
    var opened = false

    func startLine() {
      output.append(UInt8(ascii: "\n"))
      for _ in 0..<depth { output += [0x20, 0x20] }
    }
    for byte in compact {
      if isInString {
        output.append(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if opened { startLine() }
        output.append(byte)
        depth += 1
        opened = true
        continue
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if !opened { startLine() }
        output.append(byte)
      case UInt8(ascii: ","):
        output.append(byte)
        startLine()
      case UInt8(ascii: ":"):
        output += [byte, 0x20]
      default:
        if opened { startLine() }
        output.append(byte)
        isInString = byte == UInt8(ascii: "\"")
      }
      opened = false
    }
    output.append(UInt8(ascii: "\n"))
    return String(decoding: output, as: UTF8.self)
  }
}
