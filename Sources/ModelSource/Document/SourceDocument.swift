import Foundation

/// An XML document of a model's source, read but not interpreted: a version's `contents`, or any
/// other XML of the same plain kind.
///
/// The XML is in UTF-8, or in UTF-16, which is told by its first bytes. Document types and entities are refused, and ``SourceLimits`` bounds what a
/// hostile file can cost.
///
/// ```swift
/// let document = try SourceDocument(
///   data: Data(contentsOf: url), path: "Model.xcdatamodel/contents")
/// for entity in document.root.children(named: "entity") {
///   print(document.location(of: entity)?.line ?? 0, entity["name"] ?? "")
/// }
/// ```
public struct SourceDocument: Sendable, Equatable {
  /// The path that diagnostics name.
  public var path: String
  /// The outermost element.
  public var root: SourceElement
  /// The comments that stand behind the outermost element, without their marks.
  public var trailingComments: [String] = []
  /// How the text stood in bytes.
  public var form = SourceForm()
  /// Where the lines begin.
  let lines: LineTable

  /// Makes a document from a tree that was not read from a file.
  public init(root: SourceElement, path: String) {
    self.root = root
    self.path = path
    lines = LineTable()
  }

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - data: The file's bytes, in UTF-8 or UTF-16, with or without a byte order mark.
  ///   - path: The path that diagnostics name.
  ///   - limits: How large the document may be.
  /// - Throws: ``ModelSourceError`` with the place of what isn't well-formed, or is refused.
  public init(data: Data, path: String, limits: SourceLimits = .default) throws {
    self.path = path
    (root, trailingComments, lines, form) = try SourceDocumentParser.parse(
      data, path: path, limits: limits)
  }

  /// The line and column of an element, when it was read from a file.
  public func location(of element: SourceElement) -> SourceLocation? {
    element.offset.map(lines.location(of:))
  }

  /// The line and column of an attribute, or of its element when the attribute isn't there.
  public func location(of attribute: String, in element: SourceElement) -> SourceLocation? {
    element.offset(of: attribute).map(lines.location(of:))
  }

  /// The document's text in the form Xcode writes.
  public var xml: String {
    SourceFormatter.format(root, trailingComments, form)
  }
}

/// How large a source document may be before it is refused.
///
/// The limits bound the memory and the time that a hostile file can cost; the default ones are far
/// above any model that Xcode can edit.
public struct SourceLimits: Sendable, Hashable {
  /// The number of bytes of a document.
  public var documentBytes = 256 << 20
  /// How deeply elements may be nested. A composite in a model needs six levels.
  public var depth = 32
  /// The number of elements of a document.
  public var elements = 4_000_000
  /// The number of attributes of one element.
  public var attributesPerElement = 128
  /// The number of bytes of one attribute's text.
  public var attributeBytes = 4 << 20

  /// The default limits.
  public static let `default` = SourceLimits()

  /// Makes the default limits, to be changed one by one.
  public init() {}
}
