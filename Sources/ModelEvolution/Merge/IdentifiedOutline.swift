import OrderedCollections

/// One side of a merge with every element under its identity: the path it has in the base, or, for
/// what the side added, the path it would have there.
///
/// References in the elements are identities too, so that an edit on one side goes together with a
/// rename on the other.
struct IdentifiedOutline {
  /// An element, its name and its home on this side.
  struct Entry: Equatable {
    var name: String
    /// The identity of the entity it is in; nil outside entities.
    var home: String?
    /// The element with identities for references.
    var element: ModelElement
    /// The element with this side's own names, to be shown.
    let shown: ModelElement

    static func == (left: Entry, right: Entry) -> Bool {
      left.name == right.name && left.home == right.home && left.element == right.element
    }
  }

  private(set) var entries: OrderedDictionary<ModelPath, Entry> = [:]
  /// The identity of each path of the side.
  private(set) var identities: [ModelPath: ModelPath] = [:]

  /// The base itself, whose paths are the identities.
  init(base: ModelOutline) {
    self.init(base, base: base, matching: nil)
  }

  /// A side, with what of it is what of the base.
  init(_ side: ModelOutline, base: ModelOutline, matching: ElementMatching?) {
    func original(_ path: ModelPath) -> ModelPath? {
      matching.map { $0.oldPath(of: path) } ?? path
    }
    var entityIdentities: [String: String] = [:]
    for path in side.elements.keys where !path.isInsideEntity {
      var identity = original(path) ?? path
      if original(path) == nil, base[identity] != nil { identity = identity.asAddition }
      identities[path] = identity
      if case .entity(let name) = path { entityIdentities[name] = identity.name }
    }
    for path in side.elements.keys where path.isInsideEntity {
      let home = path.entityName ?? ""
      var identity = original(path) ?? path.inside(entityIdentities[home] ?? home)
      if original(path) == nil, base[identity] != nil { identity = identity.asAddition }
      identities[path] = identity
    }
    let known = identities
    let translation = ReferenceTranslation(
      outline: side, entity: { entityIdentities[$0] ?? $0 },
      property: { PropertyIdentity.encode(known[$0] ?? $0) })
    entries.reserveCapacity(side.elements.count)
    for (path, element) in side.elements {
      entries[known[path] ?? path] = Entry(
        name: path.name,
        home: path.isInsideEntity
          ? path.entityName.map { entityIdentities[$0] ?? $0 } : nil,
        element: translation.translate(element, at: path), shown: element)
    }
  }

  subscript(_ identity: ModelPath) -> Entry? { entries[identity] }
}

extension ModelPath {
  /// The identity of something that was added under a name that the base has for something else.
  fileprivate var asAddition: ModelPath { renamed(name + "\u{1}") }
}

/// The identity of a property, written into the name of a reference.
enum PropertyIdentity {
  private static let separator: Character = "\u{1F}"

  static func encode(_ path: ModelPath) -> String {
    "\(path.entityName ?? "")\(separator)\(path.name)"
  }

  /// The identity in a reference's name; nil when the reference leads to nothing.
  static func decode(_ name: String) -> ModelPath? {
    guard let cut = name.lastIndex(of: separator) else { return nil }
    return .property(String(name[name.index(after: cut)...]), of: String(name[..<cut]))
  }
}

extension ModelElement {
  /// The identities that the element's references name.
  var referencedIdentities: [ModelPath] {
    var found: [ModelPath] = []
    for (fact, value) in facts where fact.holdsReferences { value.collectReferences(into: &found) }
    return found
  }
}

extension ModelValue {
  fileprivate func collectReferences(into found: inout [ModelPath]) {
    switch self {
    case .entity(let name): found.append(.entity(name))
    case .property(let name): if let path = PropertyIdentity.decode(name) { found.append(path) }
    case .list(let values), .set(let values):
      for value in values { value.collectReferences(into: &found) }
    case .record(let fields):
      for value in fields.values { value.collectReferences(into: &found) }
    default: break
    }
  }
}
