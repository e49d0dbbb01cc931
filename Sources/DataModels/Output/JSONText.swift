import Foundation

/// JSON as all of MomKit's listings write it: sorted keys, two spaces of indentation, a newline at
/// the end, empty lists and objects on one line.
package enum JSONText {
  /// The JSON text of a value.
  ///
  /// - Throws: `EncodingError` when the value can't be encoded.
  package static func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return indented(try encoder.encode(value))
  }

  /// Lays out compact JSON.
  package static func indented(_ compact: Data) -> String {
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
