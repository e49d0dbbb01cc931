/// One attribute of an XML element, in the order and the place it stands in.
public struct SourceAttribute: Sendable, Hashable {
  /// The attribute's name, with its prefix if it has one.
  public var name: String
  /// The text, with references resolved.
  public var value: String
  /// The offset of the name's first byte in the document; nil in an element that was made.
  public var offset: Int?

  /// Makes an attribute.
  public init(_ name: String, _ value: String, offset: Int? = nil) {
    self.name = name
    self.value = value
    self.offset = offset
  }
}

/// An element of a source document: a plain tree that keeps everything the XML says, known or not,
/// in its order, with the place of every element and attribute.
///
/// Subscripting with an attribute's name reads, changes, adds (at the end) or removes (nil) it:
///
/// ```swift
/// var entity = SourceElement("entity", [SourceAttribute("name", "Person")])
/// entity["syncable"] = "YES"
/// ```
public struct SourceElement: Sendable, Hashable {
  /// Elements are handed about by declarations and diagnostics: one reference is cheaper to hand on
  /// than six.
  private var content: Content

  /// The element's name: `entity`, `attribute`, …
  public var name: String {
    get { content.name }
    _modify { yield &unique().name }
  }
  /// The attributes, in their order.
  public var attributes: [SourceAttribute] {
    get { content.attributes }
    _modify { yield &unique().attributes }
  }
  /// The elements inside, in their order.
  public var children: [SourceElement] {
    get { content.children }
    _modify { yield &unique().children }
  }
  /// The text directly inside the element; empty when there is nothing but white space.
  public var text: String {
    get { content.text }
    _modify { yield &unique().text }
  }
  /// The comments that stand directly before the element, without their marks.
  public var comments: [String] {
    get { content.comments }
    _modify { yield &unique().comments }
  }
  /// The comments inside the element that stand after its last child.
  public var innerComments: [String] {
    get { content.innerComments }
    _modify { yield &unique().innerComments }
  }
  /// The offset of the element's `<` in the document; nil in an element that was made.
  public var offset: Int? {
    get { content.offset }
    _modify { yield &unique().offset }
  }

  /// Makes an element.
  public init(
    _ name: String, _ attributes: [SourceAttribute] = [], children: [SourceElement] = [],
    text: String = "", offset: Int? = nil
  ) {
    content = Content(name)
    content.attributes = attributes
    content.children = children
    content.text = text
    content.offset = offset
  }

  /// The content, copied when another element has it too.
  private mutating func unique() -> Content {
    if !isKnownUniquelyReferenced(&content) { content = content.copy() }
    return content
  }

  /// The text of an attribute; nil when it isn't there.
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

  /// The children of one name, in their order.
  public func children(named name: String) -> [SourceElement] {
    children.filter { $0.name == name }
  }

  /// The offset of an attribute's name, or of the element when the attribute isn't there.
  func offset(of attribute: String) -> Int? {
    attributes.first { $0.name == attribute }?.offset ?? offset
  }

  /// The element without places, so that trees compare by what they say.
  func withoutOffsets() -> SourceElement {
    var result = self
    result.offset = nil
    result.attributes = attributes.map { SourceAttribute($0.name, $0.value) }
    result.children = children.map { $0.withoutOffsets() }
    return result
  }
}

extension SourceElement {
  /// Whether two elements say the same, at the same places.
  public static func == (left: SourceElement, right: SourceElement) -> Bool {
    left.content === right.content
      || (left.name == right.name && left.attributes == right.attributes
        && left.children == right.children && left.text == right.text
        && left.comments == right.comments && left.innerComments == right.innerComments
        && left.offset == right.offset)
  }

  /// Equal elements have equal hashes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(attributes)
    hasher.combine(children)
    hasher.combine(text)
    hasher.combine(comments)
    hasher.combine(innerComments)
    hasher.combine(offset)
  }

  /// What an element says. Changed only while one element alone has it.
  private final class Content: @unchecked Sendable {
    // Sendable: changed only while one element alone has it.
    @exclusivity(unchecked) var name: String
    @exclusivity(unchecked) var attributes: [SourceAttribute] = []
    @exclusivity(unchecked) var children: [SourceElement] = []
    @exclusivity(unchecked) var text = ""
    @exclusivity(unchecked) var comments: [String] = []
    @exclusivity(unchecked) var innerComments: [String] = []
    @exclusivity(unchecked) var offset: Int?

    init(_ name: String) {
      self.name = name
    }

    func copy() -> Content {
      let copy = Content(name)
      copy.attributes = attributes
      copy.children = children
      copy.text = text
      copy.comments = comments
      copy.innerComments = innerComments
      copy.offset = offset
      return copy
    }
  }
}
