import Foundation
import PropertyLists

/// How a document's text stands in bytes: its encoding, whether a byte order mark leads, how lines end.
///
/// Xcode writes UTF-8 without a mark, with line feeds between the lines and none at the end; other editors and
/// checkouts on other systems leave their own form, which is kept where a document is written again.
public struct SourceForm: Sendable, Hashable {
  /// The encoding, with the byte order.
  public var encoding = XMLEncoding.utf8
  /// Whether a byte order mark comes first.
  public var hasByteOrderMark = false
  /// Whether a carriage return stands before the line feeds.
  public var hasCarriageReturns = false
  /// Whether the file ends with a line feed.
  public var endsWithLineFeed = false

  /// Makes the form that Xcode writes.
  public init() {}

  /// Reads the text of a file, with line feeds at the ends of its lines, and the form it was in.
  ///
  /// - Throws: `PropertyListError` for UTF-16 that isn't sound.
  public static func read(_ data: Data) throws -> (text: [UInt8], form: SourceForm) {
    var form = SourceForm()
    var bytes = try form.readEncoding(Array(data))
    form.readLineEnds(bytes)
    if form.hasCarriageReturns || bytes.contains(0x0D) {
      var text: [UInt8] = []
      text.reserveCapacity(bytes.count)
      for (place, byte) in bytes.enumerated()
      where byte != 0x0D || place + 1 == bytes.count || bytes[place + 1] != 0x0A {
        text.append(byte)
      }
      bytes = text
    }
    return (bytes, form)
  }

  /// Notes the encoding, and gives the bytes in UTF-8 without a byte order mark.
  private mutating func readEncoding(_ bytes: [UInt8]) throws -> [UInt8] {
    encoding = XMLEncoding(bytes)
    let text = try encoding.utf8(bytes)
    hasByteOrderMark = text.starts(with: Self.mark)
    return hasByteOrderMark ? Array(text.dropFirst(Self.mark.count)) : text
  }

  private mutating func readLineEnds(_ bytes: [UInt8]) {
    endsWithLineFeed = bytes.last == 0x0A
    guard bytes.contains(0x0D) else { return }
    var (feeds, returns) = (0, 0)
    for (place, byte) in bytes.enumerated() where byte == 0x0A {
      feeds += 1
      if place > 0, bytes[place - 1] == 0x0D { returns += 1 }
    }
    // Of both kinds in one file that of most lines.
    hasCarriageReturns = returns > feeds - returns
  }

  /// The form of a file's bytes, which are in this encoding, and in UTF-8 as given.
  init(encoding: XMLEncoding, utf8 bytes: [UInt8]) {
    self.encoding = encoding
    hasByteOrderMark = bytes.starts(with: Self.mark)
    readLineEnds(bytes)
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// A text, whose lines end with line feeds, as bytes in this form.
  ///
  /// Whether the last line ends with one is the text's to say.
  public func data(of text: String) -> Data {
    var text = text
    if hasCarriageReturns { text = text.replacing("\n", with: "\r\n") }
    if hasByteOrderMark { text = "\u{FEFF}" + text }
    guard case .utf16(let isBigEndian) = encoding else { return Data(text.utf8) }
    var bytes = Data(capacity: text.utf16.count * 2)
    for unit in text.utf16 {
      let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
      bytes.append(contentsOf: isBigEndian ? [high, low] : [low, high])
    }
    return bytes
  }

  /// The name that an XML declaration has for the encoding.
  var encodingName: String { encoding == .utf8 ? "UTF-8" : "UTF-16" }
}
