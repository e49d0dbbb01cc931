import DataModels
import Foundation

/// The data recorded in the leading comment of a frozen schema's file: the version hashes and the checksum that its
/// stores record, and a digest of its code.
///
/// Digests ignore white space, so that reformatting doesn't count as a change.
public struct SchemaPin: Hashable, Sendable {
  /// The name of the schema's type.
  public let name: String
  /// The name of the original model.
  public let title: String
  /// The model's checksum, as stores record it.
  public let checksum: String
  /// The entities' version hashes, as stores record them.
  public let entityHashes: [String: Data]
  /// The digest of the code.
  public let codeDigest: String
  /// The actual digest of the code.
  public let foundDigest: String

  /// Whether the code is unchanged since it was frozen.
  public var isIntact: Bool { codeDigest == foundDigest }
  /// Whether the checksum matches the hashes, that is, neither was edited separately.
  public var isConsistent: Bool { VersionHashes.checksum(of: entityHashes) == checksum }

  init(
    name: String, title: String, checksum: String, entityHashes: [String: Data], code: String
  ) {
    self.name = name
    self.title = SwiftDataSchema.line(title)
    self.checksum = checksum
    self.entityHashes = entityHashes
    codeDigest = Self.digest(of: code[...])
    foundDigest = codeDigest
  }

  /// The first line of a pin.
  static let mark = "// momtool-schema: "
  private static let titleMark = "// of: "
  private static let checksumMark = "// checksum: "
  private static let entityMark = "// entity: "
  private static let codeMark = "// code: "

  /// Parses the pin in a file; nil when the file doesn't begin with one.
  ///
  /// - Throws: ``SchemaPinError`` when the pin is incomplete.
  public init?(readingFrom text: String) throws(SchemaPinError) {
    guard text.contains(Self.mark) else { return nil }
    var found: [String: String] = [:]
    var hashes: [String: Data] = [:]
    var code: Substring?
    var rest = text[...]
    while code == nil, !rest.isEmpty {
      let end = rest.firstIndex(where: \.isNewline)
      let line = rest[..<(end ?? rest.endIndex)]
      guard line.hasPrefix("//") else { break }
      rest = end.map { rest[rest.index(after: $0)...] } ?? ""
      for mark in [Self.mark, Self.titleMark, Self.checksumMark, Self.codeMark]
      where line.hasPrefix(mark) {
        found[mark] = String(line.dropFirst(mark.count))
      }
      if line.hasPrefix(Self.entityMark), found[Self.mark] != nil {
        let parts = line.dropFirst(Self.entityMark.count).split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let hash = Data(base64Encoded: String(parts[0])) else {
          throw SchemaPinError("the line '\(line)' has no hash and name of an entity")
        }
        hashes[String(parts[1])] = hash
      }
      if line.hasPrefix(Self.codeMark) { code = rest }
    }
    guard let name = found[Self.mark] else { return nil }
    guard let checksum = found[Self.checksumMark],
      let digest = found[Self.codeMark], let code
    else { throw SchemaPinError("the comment of the frozen schema isn't whole") }
    self.name = name
    title = found[Self.titleMark] ?? name
    self.checksum = checksum
    entityHashes = hashes
    codeDigest = digest
    foundDigest = Self.digest(of: code)
  }

  /// The comment, ending with a newline.
  var header: String {
    let entities = NameOrder.sorted(entityHashes.keys).map { name in
      let hash = entityHashes[name]?.base64EncodedString() ?? ""
      return "\(Self.entityMark)\(hash) \(SwiftDataSchema.line(name))\n"
    }
    return """
      // A frozen schema, written by momtool: stores of this version are out, so leave it as it is.
      // `momtool verify` compares it with stores, and `momtool guard` with what was released.
      //
      \(Self.mark)\(name)
      \(Self.titleMark)\(title)
      \(Self.checksumMark)\(checksum)
      \(entities.joined())\(Self.codeMark)\(codeDigest)

      """
  }

  private static func digest(of code: Substring) -> String {
    let written = String(
      String.UnicodeScalarView(code.unicodeScalars.filter { !$0.properties.isWhitespace }))
    return VersionHashes.contentDigest(of: Array(written.utf8))
  }
}

/// An error in reading the pin of a frozen schema.
public struct SchemaPinError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
