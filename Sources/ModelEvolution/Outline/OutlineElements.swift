import OrderedCollections

/// The elements of an outline by path, in order: the model, each entity followed by what is in it, and the rest.
///
/// The elements of an entity lie in a section of their own. Versions of a model share the sections of entities that
/// are the same, so that the outlines of many versions take little more time and memory than those of a few.
struct OutlineElements: Sendable {
  /// An entity and what is in it, in order.
  typealias Section = OrderedDictionary<ModelPath, ModelElement>

  /// The model itself.
  private var head: Section = [:]
  private var sections: [Section] = []
  /// The fetch requests and configurations.
  private var tail: Section = [:]
  /// The names of the sections' entities, in order.
  private(set) var entityNames: [String] = []
  private var places: [String: Int] = [:]

  /// Creates a table without elements.
  init() {}

  /// Creates a table with only the sections of another. This takes a constant amount of time.
  init(sharingSectionsOf other: OutlineElements) {
    (sections, entityNames, places) = (other.sections, other.entityNames, other.places)
  }

  mutating func reserveSections(_ count: Int) {
    sections.reserveCapacity(count)
    entityNames.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  /// The index of an entity's section; nil if there is none.
  func place(ofSection entity: String) -> Int? {
    // Elements of an entity are mostly added one after the other.
    if let last = entityNames.last, last == entity { return entityNames.count - 1 }
    return places[entity]
  }

  /// An entity and what is in it.
  func section(at place: Int) -> Section { sections[place] }

  /// Sets an entity's section; a new one comes last.
  mutating func setSection(_ section: Section, of entity: String) {
    if let place = place(ofSection: entity) {
      sections[place] = section
    } else {
      append(section, of: entity)
    }
  }

  private mutating func append(_ section: Section, of entity: String) {
    places[entity] = sections.count
    entityNames.append(entity)
    sections.append(section)
  }

  /// The paths of all elements, in order, except those in the given entities' sections.
  func paths(outside entities: Set<String>) -> [ModelPath] {
    var paths = Array(head.keys)
    for (name, section) in zip(entityNames, sections) where !entities.contains(name) {
      paths += section.keys
    }
    return paths + tail.keys
  }

  /// The number of elements of each kind.
  var counts: [ModelElementKind: Int] {
    let kinds = ModelElementKind.allCases
    var counts = [Int](repeating: 0, count: kinds.count)
    for element in head.values { counts[element.kind.place] += 1 }
    for section in sections {
      for element in section.values { counts[element.kind.place] += 1 }
    }
    for element in tail.values { counts[element.kind.place] += 1 }
    return Dictionary(
      kinds.map { ($0, counts[$0.place]) }, uniquingKeysWith: { first, _ in first })
  }

  /// The element with a path; nil when there is none.
  subscript(_ path: ModelPath) -> ModelElement? {
    get {
      switch path {
      case .model: head[path]
      case .entity(let entity), .property(_, let entity), .index(_, let entity):
        place(ofSection: entity).flatMap { sections[$0][path] }
      case .fetchRequest, .configuration: tail[path]
      }
    }
    set {
      switch path {
      case .model: head[path] = newValue
      case .entity(let entity), .property(_, let entity), .index(_, let entity):
        if let place = place(ofSection: entity) {
          sections[place][path] = newValue
        } else if let newValue {
          append([path: newValue], of: entity)
        }
      case .fetchRequest, .configuration: tail[path] = newValue
      }
    }
  }
}

extension OutlineElements: BidirectionalCollection {
  /// The position of an element: its part and its place there.
  struct Index: Comparable {
    fileprivate var part: Int
    fileprivate var place: Int

    static func < (left: Index, right: Index) -> Bool {
      (left.part, left.place) < (right.part, right.place)
    }
  }

  /// Iterates over the parts one by one, without looking up each position.
  struct Iterator: IteratorProtocol {
    private let elements: OutlineElements
    private var part = 0
    private var rest: Section.Iterator

    fileprivate init(_ elements: OutlineElements) {
      self.elements = elements
      rest = elements.head.makeIterator()
    }

    mutating func next() -> (key: ModelPath, value: ModelElement)? {
      while true {
        if let next = rest.next() { return next }
        guard part <= elements.sections.count else { return nil }
        part += 1
        rest = elements.part(at: part).makeIterator()
      }
    }
  }

  func makeIterator() -> Iterator { Iterator(self) }

  /// The sections, after the model and before the rest.
  private func part(at index: Int) -> Section {
    index == 0 ? head : index <= sections.count ? sections[index - 1] : tail
  }

  /// The first position at or after the beginning of a part; the end if the parts that follow are empty.
  private func start(from part: Int) -> Index {
    var part = part
    while part <= sections.count + 1, self.part(at: part).isEmpty { part += 1 }
    return Index(part: part, place: 0)
  }

  var startIndex: Index { start(from: 0) }

  var endIndex: Index { Index(part: sections.count + 2, place: 0) }

  var count: Int { sections.reduce(head.count + tail.count) { $0 + $1.count } }

  func index(after index: Index) -> Index {
    index.place + 1 < part(at: index.part).count
      ? Index(part: index.part, place: index.place + 1) : start(from: index.part + 1)
  }

  func index(before index: Index) -> Index {
    if index.place > 0 { return Index(part: index.part, place: index.place - 1) }
    var part = index.part - 1
    while self.part(at: part).isEmpty { part -= 1 }
    return Index(part: part, place: self.part(at: part).count - 1)
  }

  subscript(position: Index) -> (key: ModelPath, value: ModelElement) {
    part(at: position.part).elements[position.place]
  }
}
