import DataModels
import PropertyLists

/// What a source says and no model does, as lines of text: which classes are generated, scalar types, which tools wrote
/// it, places in the editor, comments, and what isn't known.
///
/// Who compares sources by their models compares these too, or overlooks what they alone say. The order of elements
/// and white space are in neither.
///
/// ```swift
/// let document = try SourceDocument(data: Data(contentsOf: url), path: url.path)
/// SourceDetailListing(document).lines  // ["model: sourceLanguage=\"Swift\"", "entity Person: syncable=\"YES\""]
/// ```
public struct SourceDetailListing: Sendable {
  /// The lines, in the order of entities and properties by their names; none where there is nothing to tell.
  public private(set) var lines: [String] = []

  /// Lists what a document says besides its model.
  public init(_ document: SourceDocument) {
    add(document.root, place: [])
    for comment in document.trailingComments { add(comment: comment, place: []) }
  }

  /// Lists what the source of a model says besides it.
  ///
  /// - Returns: `nil` when the model wasn't read from a source.
  public init?(of model: NSManagedObjectModel) {
    guard let origin = model.preserved as? SourceOrigin else { return nil }
    self.init(origin.document)
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
