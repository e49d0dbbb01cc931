import Foundation

/// A fetched results controller's objects, by section.
final class FetchedContents {
  /// Consecutive objects with the same section name.
  struct Section {
    let name: String
    let range: Range<Int>
  }

  let list: ObjectChunks
  let sections: [Section]
  /// Whether the sections have names; if not, there is one section, possibly empty.
  let hasNames: Bool
  /// The chunk of each object; built on demand.
  private var homes: ObjectHomes?

  /// All objects.
  private(set) lazy var objects = list.objects
  /// The section's name of each object; empty without sections.
  var names: [String] {
    guard hasNames else { return [] }
    return sections.flatMap { Array(repeating: $0.name, count: $0.range.count) }
  }

  /// - Parameter names: the section name of each object; nil for a single section.
  init(_ objects: [NSObject], names: [String]?) {
    list = ObjectChunks(objects)
    hasNames = names != nil
    guard let names else {
      sections = [Section(name: "", range: objects.indices)]
      return
    }
    var sections: [Section] = []
    var start = 0
    for index in names.indices where index + 1 == names.count || names[index + 1] != names[index] {
      sections.append(Section(name: names[index], range: start..<index + 1))
      start = index + 1
    }
    self.sections = sections
  }

  /// Creates contents derived from others.
  init(_ list: ObjectChunks, _ sections: [Section], hasNames: Bool, homes: ObjectHomes) {
    (self.list, self.sections, self.hasNames, self.homes) = (list, sections, hasNames, homes)
  }

  /// The first object whose section was there before and was left; nil when all is in order.
  var firstOutOfOrder: Int? {
    var seen: Set<String> = []
    return sections.first { !seen.insert($0.name).inserted }?.range.lowerBound
  }

  func position(of object: NSObject) -> Int? {
    knownHomes[ObjectIdentifier(object)].flatMap { list.position(of: object, in: $0) }
  }

  /// Whether an object is there.
  func contains(_ id: ObjectIdentifier) -> Bool { knownHomes[id] != nil }

  private var knownHomes: ObjectHomes {
    if let homes, homes.isValid { return homes }
    let made = ObjectHomes(list)
    homes = made
    return made
  }

  /// The homes to be changed for contents that are derived from these.
  func homesForSuccessor() -> ObjectHomes {
    let known = knownHomes
    return known.isLatest ? known.makeSuccessor() : ObjectHomes(list)
  }

  func indexPath(of object: NSObject) -> IndexPath? { position(of: object).map(indexPath) }

  func indexPath(_ position: Int) -> IndexPath {
    // Sections are contiguous: the last one that starts at or before the position contains it.
    var (low, high) = (0, sections.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if sections[middle].range.lowerBound <= position { low = middle } else { high = middle - 1 }
    }
    return [low, position - (sections.isEmpty ? 0 : sections[low].range.lowerBound)]
  }

  func object(at path: IndexPath) -> NSObject? {
    guard path.count == 2, sections.indices.contains(path[0]), path[1] >= 0,
      path[1] < sections[path[0]].range.count
    else { return nil }
    return list[sections[path[0]].range.lowerBound + path[1]]
  }
}

extension FetchedContents {
  /// The contents without some objects.
  func keeping(_ isKept: (NSObject) -> Bool) -> FetchedContents {
    let names = names
    let indexes = objects.indices.filter { isKept(objects[$0]) }
    return FetchedContents(
      indexes.map { objects[$0] }, names: hasNames ? indexes.map { names[$0] } : nil)
  }

  /// The contents with each section made contiguous.
  func inOrder() -> FetchedContents {
    guard firstOutOfOrder != nil else { return self }
    let names = names
    var places: [String: [Int]] = [:]
    var order: [String] = []
    for (index, name) in names.enumerated() {
      if places[name] == nil { order.append(name) }
      places[name, default: []].append(index)
    }
    let indexes = order.flatMap { places[$0] ?? [] }
    return FetchedContents(indexes.map { objects[$0] }, names: indexes.map { names[$0] })
  }
}

/// The public form of a section.
struct FetchedSection: NSFetchedResultsSectionInfo {
  let name: String
  let indexTitle: String?
  let members: [NSObject]

  var numberOfObjects: Int { members.count }
  var objects: [Any]? { members }
}
