import DataModels
import PropertyLists

/// The content of a source that no model has, as lines of text: code generation, scalar types, tool versions, positions
/// in the editor, comments, and unknown content.
///
/// Comparing sources by their models alone misses this content. The order of elements and white space are not included.
///
/// ```swift
/// let document = try SourceDocument(data: Data(contentsOf: url), path: url.path)
/// SourceDetailListing(document).lines  // ["model: sourceLanguage=\"Swift\"", "entity Person: syncable=\"YES\""]
/// ```
public struct SourceDetailListing: Sendable {
  /// The lines, sorted by the names of entities and properties; empty if there is no such content.
  public private(set) var lines: [String] = []

  /// Lists the content of a document that its model doesn't have.
  public init(_ document: SourceDocument) {
    add(document.root, place: [])
    for comment in document.trailingComments { add(comment: comment, place: []) }
  }

  /// Lists the content of a model's source that the model doesn't have.
  ///
  /// - Returns: `nil` if the model wasn't read from a source.
  public init?(of model: NSManagedObjectModel) {
    guard let origin = model.preserved as? SourceOrigin else { return nil }
    self.init(origin.document)
  }

  /// Whether the sources of two models differ in content that models don't have. Tool versions and positions in the editor
  /// don't count, nor do models that weren't read from sources.
  public static func areDifferent(_ one: NSManagedObjectModel, _ other: NSManagedObjectModel)
    -> Bool
  {
    guard let one = one.preserved as? SourceOrigin, let other = other.preserved as? SourceOrigin
    else { return false }
    let (left, right) = (one.document, other.document)
    return SourceDetails.remarks(of: left.root) != SourceDetails.remarks(of: right.root)
      || left.trailingComments != right.trailingComments
  }

  // Recursion follows the tree, whose depth the parser bounds.
  private mutating func add(_ element: SourceElement, place: [String]) {
    for comment in element.comments { add(comment: comment, place: place) }
    guard SourceDetails.isKnown(element) else {
      var unknown = element
      unknown.comments = []
      let text = SourceFormatter.lines(of: unknown).map { $0.trimmingPrefix(while: { $0 == " " }) }
      return add(text.joined(), place: place)
    }
    let name = SourceIdentity(element).name
    let here =
      element.name == "model" || element.name == "elements"
      ? place : place + [[element.name, name].compactMap { $0 }.joined(separator: " ")]
    let details = element.attributes.filter {
      SourceDetails.isDetail(attribute: $0.name, of: element.name)
    }.map { "\($0.name)=\(DisplayText.quoted($0.value))" }
    if element.name == "model" {
      for detail in details { add(detail, place: ["model"]) }
    } else if !details.isEmpty {
      add(details.joined(separator: " "), place: here)
    } else if element.name == "element" {
      add("", place: here)
    }
    if !element.text.isEmpty { add(DisplayText.quoted(element.text), place: here) }
    for child in element.children.sorted(by: Self.precedes) { add(child, place: here) }
    for comment in element.innerComments { add(comment: comment, place: here) }
  }

  private static func precedes(_ one: SourceElement, _ other: SourceElement) -> Bool {
    let (left, right) = (SourceIdentity(one), SourceIdentity(other))
    return left.kind == right.kind
      ? (left.name ?? "") < (right.name ?? "") : left.kind < right.kind
  }

  private mutating func add(comment: String, place: [String]) {
    add(SourceFormatter.markup(ofComment: comment), place: place)
  }

  private mutating func add(_ text: String, place: [String]) {
    let place = DisplayText.bare(place.joined(separator: " "))
    lines.append(
      [place, DisplayText.bare(text)].filter { !$0.isEmpty }.joined(separator: ": "))
  }
}
