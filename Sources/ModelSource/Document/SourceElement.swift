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
  private var box: Box

  /// The element's name: `entity`, `attribute`, …
  public var name: String {
    get { box.content.name }
    _modify { yield &unique().content.name }
  }
  /// The attributes, in their order.
  public var attributes: [SourceAttribute] {
    get { box.content.attributes }
    _modify { yield &unique().content.attributes }
  }
  /// The elements inside, in their order.
  public var children: [SourceElement] {
    get { box.content.children }
    _modify { yield &unique().content.children }
  }
  /// The text directly inside the element; empty when there is nothing but white space.
  public var text: String {
    get { box.content.text }
    _modify { yield &unique().content.text }
  }
  /// The comments that stand directly before the element, without their marks.
  public var comments: [String] {
    get { box.content.comments }
    _modify { yield &unique().content.comments }
  }
  /// The comments inside the element that stand after its last child.
  public var innerComments: [String] {
    get { box.content.innerComments }
    _modify { yield &unique().content.innerComments }
  }
  /// The offset of the element's `<` in the document; nil in an element that was made.
  public var offset: Int? {
    get { box.content.offset }
    _modify { yield &unique().content.offset }
  }

  /// Makes an element.
  public init(
    _ name: String, _ attributes: [SourceAttribute] = [], children: [SourceElement] = [],
    text: String = "", offset: Int? = nil
  ) {
    box = Box(
      Content(
        name: name, attributes: attributes, children: children, text: text, offset: offset))
  }

  /// The content, copied when another element has it too.
  private mutating func unique() -> Box {
    if !isKnownUniquelyReferenced(&box) { box = Box(box.content) }
    return box
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
    left.box === right.box || left.box.content == right.box.content
  }

  /// Equal elements have equal hashes.
  public func hash(into hasher: inout Hasher) { hasher.combine(box.content) }

  /// What an element says.
  private struct Content: Sendable, Hashable {
    var name: String
    var attributes: [SourceAttribute]
    var children: [SourceElement]
    var text: String
    var comments: [String] = []
    var innerComments: [String] = []
    var offset: Int?
  }

  private final class Box: @unchecked Sendable {
    // Sendable: changed only while one element alone has it; so its content needs no checks for overlapping access.
    @exclusivity(unchecked) var content: Content

    init(_ content: Content) {
      self.content = content
    }
  }
}
