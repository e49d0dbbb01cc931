import Foundation
import PropertyLists

/// The form of a document's text in bytes: its encoding, byte order mark and line endings.
///
/// Xcode writes UTF-8 without a byte order mark, with line feeds between lines and none at the end. Other editors, and
/// checkouts on other systems, use other forms, which are preserved when a document is written again.
public struct SourceForm: Sendable, Hashable {
  /// The encoding, including the byte order.
  public var encoding = XMLEncoding.utf8
  /// Whether the file begins with a byte order mark.
  public var hasByteOrderMark = false
  /// Whether lines end with a carriage return and a line feed.
  public var hasCarriageReturns = false
  /// Whether the file ends with a line feed.
  public var endsWithLineFeed = false

  /// Creates the form that Xcode writes.
  public init() {}

  /// Reads the text of a file, converted to line feeds, and its original form.
  ///
  /// - Throws: `PropertyListError` for invalid UTF-16.
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

  /// Records the encoding, and returns the bytes in UTF-8 without a byte order mark.
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
    // If a file has both kinds of line endings, the one used by most lines counts.
    hasCarriageReturns = returns > feeds - returns
  }

  /// Determines the form of a file with an encoding from its bytes converted to UTF-8.
  init(encoding: XMLEncoding, utf8 bytes: [UInt8]) {
    self.encoding = encoding
    hasByteOrderMark = bytes.starts(with: Self.mark)
    readLineEnds(bytes)
  }

  /// Merges the forms of two sides: each property is taken from the side that changed it, or from ours if both did.
  public static func merged(
    base: SourceForm, ours: SourceForm, theirs: SourceForm
  ) -> SourceForm {
    var form = ours
    if base.encoding == ours.encoding, base.hasByteOrderMark == ours.hasByteOrderMark {
      (form.encoding, form.hasByteOrderMark) = (theirs.encoding, theirs.hasByteOrderMark)
    }
    if base.hasCarriageReturns == ours.hasCarriageReturns {
      form.hasCarriageReturns = theirs.hasCarriageReturns
    }
    if base.endsWithLineFeed == ours.endsWithLineFeed {
      form.endsWithLineFeed = theirs.endsWithLineFeed
    }
    return form
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Encodes a text with line feeds in this form.
  ///
  /// Whether the last line has a line ending is determined by the text.
  public func data(of text: String) -> Data { data(ofUTF8: Data(text.utf8)) }

  /// Encodes a text with line feeds in this form.
  ///
  /// Bytes that aren't UTF-8 are kept, unless the encoding is UTF-16: a file that can't be distinguished from UTF-8 may be
  /// in another encoding.
  public func data(ofUTF8 text: Data) -> Data {
    var bytes = Data(hasByteOrderMark ? Self.mark : [])
    if hasCarriageReturns {
      for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
        bytes += line + [0x0D, 0x0A]
      }
      bytes.removeLast(2)
    } else {
      bytes += text
    }
    guard case .utf16(let isBigEndian) = encoding else { return bytes }
    let units = String(decoding: bytes, as: UTF8.self).utf16
    bytes = Data(capacity: units.count * 2)
    for unit in units {
      let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
      bytes.append(contentsOf: isBigEndian ? [high, low] : [low, high])
    }
    return bytes
  }

  /// The name of the encoding in an XML declaration.
  var encodingName: String { encoding == .utf8 ? "UTF-8" : "UTF-16" }
}
