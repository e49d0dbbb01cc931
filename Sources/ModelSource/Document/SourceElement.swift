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
  /// The element's name: `entity`, `attribute`, …
  public var name: String
  /// The attributes, in their order.
  public var attributes: [SourceAttribute]
  /// The elements inside, in their order.
  public var children: [SourceElement]
  /// The text directly inside the element; empty when there is nothing but white space.
  public var text: String
  /// The comments that stand directly before the element, without their marks.
  public var comments: [String]
  /// The comments inside the element that stand after its last child.
  public var innerComments: [String]
  /// The offset of the element's `<` in the document; nil in an element that was made.
  public var offset: Int?

  /// Makes an element.
  public init(
    _ name: String, _ attributes: [SourceAttribute] = [], children: [SourceElement] = [],
    text: String = "", offset: Int? = nil
  ) {
    self.name = name
    self.attributes = attributes
    self.children = children
    self.text = text
    self.offset = offset
    comments = []
    innerComments = []
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
