import Foundation
import PropertyLists

/// A parsed but uninterpreted XML document of a model's source: a version's `contents`, or any other XML of the same
/// simple form.
///
/// The XML is in UTF-8, or in UTF-16, which is detected from the first bytes. Document types and entities are rejected,
/// and ``SourceLimits`` bounds the cost of malicious files.
///
/// ```swift
/// let document = try SourceDocument(
///   data: Data(contentsOf: url), path: "Model.xcdatamodel/contents")
/// for entity in document.root.children(named: "entity") {
///   print(document.location(of: entity)?.line ?? 0, entity["name"] ?? "")
/// }
/// ```
public struct SourceDocument: Sendable, Equatable {
  /// The path used in diagnostics.
  public var path: String
  /// The root element.
  public var root: SourceElement
  /// The comments after the root element, without delimiters.
  public var trailingComments: [String] = []
  /// The encoding and line endings of the file.
  public var form = SourceForm()
  /// The offsets of the lines.
  let lines: LineTable

  /// Creates a document from a tree that was not read from a file.
  public init(root: SourceElement, path: String) {
    self.root = root
    self.path = path
    lines = LineTable()
  }

  /// Parses a document.
  ///
  /// - Parameters:
  ///   - data: The file's bytes, in UTF-8 or UTF-16, with or without a byte order mark.
  ///   - path: The path used in diagnostics.
  ///   - limits: The limits on the document's size.
  /// - Throws: ``ModelSourceError`` with the location of what isn't well-formed, or is rejected.
  public init(data: Data, path: String, limits: SourceLimits = .default) throws {
    self.path = path
    (root, trailingComments, lines, form) = try SourceDocumentParser.parse(
      data, path: path, limits: limits)
  }

  /// The line and column of an element, if it was read from a file.
  public func location(of element: SourceElement) -> SourceLocation? {
    element.offset.map(lines.location(of:))
  }

  /// The line and column of an attribute, or of the element if it doesn't have the attribute.
  public func location(of attribute: String, in element: SourceElement) -> SourceLocation? {
    element.offset(of: attribute).map(lines.location(of:))
  }

  /// The document's text in the format written by Xcode.
  public var xml: String {
    SourceFormatter.format(root, trailingComments: trailingComments, form: form)
  }
}

/// Limits above which a source document is rejected.
///
/// The limits bound the memory and time that a malicious file can consume; the defaults are far above any model that
/// Xcode can edit.
public struct SourceLimits: Sendable, Hashable {
  /// The most bytes in a document.
  public var documentBytes = 256 << 20
  /// The deepest nesting of elements. A composite in a model needs six levels.
  public var depth = 32
  /// The most elements in a document.
  public var elements = 4_000_000
  /// The most attributes of one element.
  public var attributesPerElement = 128
  /// The most bytes in the value of an attribute.
  public var attributeBytes = 4 << 20

  /// The default limits.
  public static let `default` = SourceLimits()

  /// Creates the default limits, which can be changed individually.
  public init() {}

  /// Throws if a document has more bytes than the limits allow.
  func check(byteCount: Int, path: String) throws {
    guard byteCount <= documentBytes else {
      throw ModelSourceError(
        .xml, path: path,
        "the file has \(byteCount) bytes; more than \(documentBytes) are refused")
    }
  }

  /// Reads a document's file.
  ///
  /// - Throws: ``ModelSourceError`` when it is too large, or can't be read.
  func bytes(of file: URL, path: String) throws -> [UInt8] {
    try check(
      byteCount: file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0, path: path)
    do {
      return try FileBytes.read(file.path, limit: documentBytes)
    } catch {
      throw ModelSourceError(.document, path: path, error.message)
    }
  }
}
