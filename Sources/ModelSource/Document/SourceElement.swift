import PredicateFormat

/// An attribute of an XML element.
public struct SourceAttribute: Sendable, Hashable {
  /// The attribute's name, with its prefix if it has one.
  public var name: String
  /// The value, with references resolved.
  public var value: String
  /// The offset of the name's first byte in the document; nil if the attribute was created in code.
  public var offset: Int?

  /// Creates an attribute.
  public init(_ name: String, _ value: String, offset: Int? = nil) {
    self.name = name
    self.value = value
    self.offset = offset
  }

  // Exactly: canonically equivalent texts are different ones to Core Data, and to whoever changed them.
  /// Whether two attributes have the same name and value, to the byte, and the same location.
  public static func == (left: SourceAttribute, right: SourceAttribute) -> Bool {
    left.offset == right.offset && ExactText.equal(left.name, right.name)
      && ExactText.equal(left.value, right.value)
  }

  /// Hashes the name and the value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(name))
    hasher.combine(ExactText(value))
  }
}

/// An element of a source document, in a tree that preserves the complete content of the XML in order, known or not,
/// with the location of every element and attribute.
///
/// The subscript with an attribute's name gets, changes, adds (at the end) or removes (nil) the attribute:
///
/// ```swift
/// var entity = SourceElement("entity", [SourceAttribute("name", "Person")])
/// entity["syncable"] = "YES"
/// ```
public struct SourceElement: Sendable, Hashable {
  /// Elements are passed around by declarations and diagnostics, so they consist of a single reference rather than six.
  private var box: Box

  /// The element's name: `entity`, `attribute`, …
  public var name: String {
    get { box.content.name }
    _modify { yield &unique().content.name }
  }
  /// The attributes, in order.
  public var attributes: [SourceAttribute] {
    get { box.content.attributes }
    _modify { yield &unique().content.attributes }
  }
  /// The child elements, in order.
  public var children: [SourceElement] {
    get { box.content.children }
    _modify { yield &unique().content.children }
  }
  /// The text directly inside the element; empty if there is only white space.
  public var text: String {
    get { box.content.text }
    _modify { yield &unique().content.text }
  }
  /// The comments directly before the element, without delimiters, and the processing instructions, with delimiters.
  public var comments: [String] {
    get { box.content.comments }
    _modify { yield &unique().content.comments }
  }
  /// The comments inside the element, after its last child.
  public var innerComments: [String] {
    get { box.content.innerComments }
    _modify { yield &unique().content.innerComments }
  }
  /// The offset of the element's `<` in the document; nil if the element was created in code.
  public var offset: Int? {
    get { box.content.offset }
    _modify { yield &unique().content.offset }
  }

  /// Creates an element.
  public init(
    _ name: String, _ attributes: [SourceAttribute] = [], children: [SourceElement] = [],
    text: String = "", offset: Int? = nil
  ) {
    box = Box(
      Content(
        name: name, attributes: attributes, children: children, text: text, offset: offset))
  }

  /// Returns the content, after copying it if it is shared with another element.
  private mutating func unique() -> Box {
    if !isKnownUniquelyReferenced(&box) { box = Box(box.content) }
    return box
  }

  /// The value of an attribute; nil when the element doesn't have it.
  public subscript(attribute: String) -> String? {
    get {
      for candidate in attributes where candidate.name == attribute { return candidate.value }
      return nil
    }
    set {
      let index = attributes.firstIndex { $0.name == attribute }
      switch (index, newValue) {
      case (let index?, let value?): attributes[index].value = value
      case (let index?, nil): attributes.remove(at: index)
      case (nil, let value?): attributes.append(SourceAttribute(attribute, value))
      case (nil, nil): break
      }
    }
  }

  /// Returns the children with a name, in order.
  public func children(named name: String) -> [SourceElement] {
    children.filter { $0.name == name }
  }

  /// The offset of an attribute's name, or of the element if it doesn't have the attribute.
  func offset(of attribute: String) -> Int? {
    attributes.first { $0.name == attribute }?.offset ?? offset
  }

  /// The element without locations, for comparing trees by content.
  package func withoutOffsets() -> SourceElement {
    var result = self
    result.offset = nil
    result.attributes = attributes.map { SourceAttribute($0.name, $0.value) }
    result.children = children.map { $0.withoutOffsets() }
    return result
  }
}

extension SourceElement {
  /// Whether two elements have equal content, including locations.
  public static func == (left: SourceElement, right: SourceElement) -> Bool {
    left.box === right.box || left.box.content == right.box.content
  }

  /// Hashes the content.
  public func hash(into hasher: inout Hasher) { hasher.combine(box.content) }

  /// The content of an element.
  private struct Content: Sendable, Hashable {
    var name: String
    var attributes: [SourceAttribute]
    var children: [SourceElement]
    var text: String
    var comments: [String] = []
    var innerComments: [String] = []
    var offset: Int?

    static func == (left: Content, right: Content) -> Bool {
      left.offset == right.offset && left.name == right.name
        && ExactText.equal(left.text, right.text) && left.attributes == right.attributes
        && left.comments.elementsEqual(right.comments, by: ExactText.equal)
        && left.innerComments.elementsEqual(right.innerComments, by: ExactText.equal)
        && left.children == right.children
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(ExactText(text))
      hasher.combine(attributes)
      hasher.combine(children)
    }
  }

  private final class Box: @unchecked Sendable {
    // Sendable: modified only while it is uniquely referenced, which also makes exclusivity checks unnecessary.
    @exclusivity(unchecked) var content: Content

    init(_ content: Content) {
      self.content = content
    }
  }
}
