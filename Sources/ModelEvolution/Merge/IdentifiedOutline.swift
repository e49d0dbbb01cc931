import OrderedCollections

/// One side of a merge with every element keyed by its identity: the path it has in the base or, for an addition, the
/// path it would have there.
///
/// References in the elements are identities too, so that an edit on one side is compatible with a rename on the other.
struct IdentifiedOutline {
  /// An element with its name and containing entity on this side.
  struct Entry: Equatable {
    var name: String
    /// The identity of the containing entity; nil outside entities, and for an element that follows a property.
    var home: String?
    /// The element with its references as identities.
    var element: ModelElement
    /// The element with this side's own names, for display.
    var shown: ModelElement

    static func == (left: Entry, right: Entry) -> Bool {
      left.name == right.name && left.home == right.home && left.element == right.element
    }
  }

  private(set) var entries: OrderedDictionary<ModelPath, Entry> = [:]
  /// The identity for each path of the side.
  var identities: [ModelPath: ModelPath] = [:]

  /// Creates the outline of the base itself, whose paths are the identities.
  init(base: ModelOutline) {
    self.init(base, base: base, matching: nil)
  }

  /// Creates the outline of a side, with its matching to the base.
  init(_ side: ModelOutline, base: ModelOutline, matching: ElementMatching?) {
    func original(_ path: ModelPath) -> ModelPath? {
      matching.map { $0.oldPath(of: path) } ?? path
    }
    var entityIdentities: [String: String] = [:]
    for path in side.paths where !path.isInsideEntity {
      var identity = original(path) ?? path
      if original(path) == nil, base[identity] != nil { identity = identity.asAddition }
      identities[path] = identity
      if case .entity(let name) = path { entityIdentities[name] = identity.name }
    }
    for path in side.paths where path.isInsideEntity {
      let home = path.entityName ?? ""
      var identity = original(path) ?? path.inside(entityIdentities[home] ?? home)
      if original(path) == nil, base[identity] != nil { identity = identity.asAddition }
      identities[path] = identity
    }
    identifySynthesizedIndexes(of: side, entityIdentities)
    let known = identities
    let translation = ReferenceTranslation(
      outline: side, entity: { entityIdentities[$0] ?? $0 },
      property: { PropertyIdentity.encode(known[$0] ?? $0) })
    entries.reserveCapacity(side.elements.count)
    for (path, element) in side.elements {
      let identity = known[path] ?? path
      let home = path.isInsideEntity ? path.entityName.map { entityIdentities[$0] ?? $0 } : nil
      var entry = Entry(
        name: path.name, home: home, element: translation.translate(element, at: path),
        shown: element)
      // A name and location that are derived from others are not edits.
      if let properties = element.synthesizingProperties(at: path) {
        entry.name = identity.name
        if properties.count == 1, side[.property(properties[0], of: path.entityName ?? "")] != nil {
          entry.home = nil
        }
      }
      if side.hasSynthesizedIndex(over: path) {
        entry.element.isMarkedAsIndexed = true
        entry.shown.isMarkedAsIndexed = true
      }
      entries[identity] = entry
    }
  }

  subscript(_ identity: ModelPath) -> Entry? { entries[identity] }
}

extension ModelPath {
  private static let additionMark: Character = "\u{1}"

  /// The identity of an addition whose name the base uses for another element.
  var asAddition: ModelPath { renamed(name + String(Self.additionMark)) }

  /// A name from an identity, without the mark that distinguishes additions.
  static func plainName(_ name: String) -> String {
    name.contains(additionMark) ? name.filter { $0 != additionMark } : name
  }
}

/// Encodes the identity of a property in the name of a reference, or as a key in a key path.
enum PropertyIdentity {
  private static let separator: Character = "\u{1F}"
  /// Replaces the dot, which separates the keys of a path.
  private static let dot: Character = "\u{1E}"

  static func encode(_ path: ModelPath) -> String {
    let text = "\(path.entityName ?? "")\(separator)\(path.name)"
    return text.contains(".") ? String(text.map { $0 == "." ? dot : $0 }) : text
  }

  /// Decodes the identity in a reference's name; nil when the reference has no target.
  static func decode(_ name: some StringProtocol) -> ModelPath? {
    guard let cut = name.lastIndex(of: separator) else { return nil }
    func part(_ text: some StringProtocol) -> String {
      text.contains(dot) ? String(text.map { $0 == dot ? "." : $0 }) : String(text)
    }
    return .property(part(name[name.index(after: cut)...]), of: part(name[..<cut]))
  }

  /// Replaces each identity in a key path by a key.
  static func map(_ keyPath: String, _ change: (ModelPath) -> String) -> String {
    guard keyPath.contains(separator) else { return keyPath }
    return keyPath.split(separator: ".", omittingEmptySubsequences: false)
      .map { key in decode(key).map(change) ?? String(key) }.joined(separator: ".")
  }
}

extension ModelElement {
  /// The identities that the element references.
  var referencedIdentities: [ModelPath] {
    var found: [ModelPath] = []
    for (fact, value) in facts where fact.holdsReferences {
      _ = value.mapReferences {
        found.append($0)
        return $0.name
      }
    }
    return found
  }
}

extension ModelValue {
  /// Replaces every identity in the value by a name.
  // The recursion follows the fact table, and expressions, whose depth is bounded by their readers.
  func mapReferences(_ change: (ModelPath) -> String) -> ModelValue {
    func path(_ keyPath: String) -> String { PropertyIdentity.map(keyPath, change) }
    switch self {
    case .entity(let name): return .entity(change(.entity(name)))
    case .property(let name): return .property(PropertyIdentity.decode(name).map(change) ?? name)
    case .keyPath(let keyPath): return .keyPath(path(keyPath))
    case .predicate(let predicate): return .predicate(predicate.with { $0.mapKeyPaths(path) })
    case .expression(let expression): return .expression(expression.with { $0.mapKeyPaths(path) })
    case .list(let values): return .list(values.map { $0.mapReferences(change) })
    case .set(let values): return .members(values.map { $0.mapReferences(change) })
    case .record(let fields): return .record(fields.mapValues { $0.mapReferences(change) })
    case .none, .flag, .integer, .real, .decimal, .text, .date, .data, .uuid, .url, .choice,
      .object:
      return self
    }
  }
}
