import Foundation

/// A fetched results controller's objects, by section.
final class FetchedContents {
  /// Consecutive objects with the same section name.
  struct Section {
    let name: String
    let range: Range<Int>
  }

  let objects: [NSObject]
  /// The section name of each object; empty if there are no sections.
  let names: [String]
  let sections: [Section]
  private var positions: [ObjectIdentifier: Int]?

  /// - Parameter names: the section name of each object; nil for a single section.
  init(_ objects: [NSObject], names: [String]?) {
    self.objects = objects
    self.names = names ?? []
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

  /// The first object whose section has appeared before and was followed by another; nil if all sections are
  /// contiguous.
  var firstOutOfOrder: Int? {
    var seen: Set<String> = []
    return sections.first { !seen.insert($0.name).inserted }?.range.lowerBound
  }

  func position(of object: NSObject) -> Int? {
    if positions == nil {
      positions = Dictionary(
        objects.enumerated().map { (ObjectIdentifier($1), $0) },
        uniquingKeysWith: { first, _ in first })
    }
    return positions?[ObjectIdentifier(object)]
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
    return objects[sections[path[0]].range.lowerBound + path[1]]
  }
}

extension FetchedContents {
  /// The contents without some objects.
  func keeping(_ isKept: (NSObject) -> Bool) -> FetchedContents {
    let indexes = objects.indices.filter { isKept(objects[$0]) }
    // Without section names there is one section, even if it is empty.
    let hasNames = !names.isEmpty || sections.isEmpty
    return FetchedContents(
      indexes.map { objects[$0] }, names: hasNames ? indexes.map { names[$0] } : nil)
  }

  /// The contents with each section made contiguous.
  func inOrder() -> FetchedContents {
    guard firstOutOfOrder != nil else { return self }
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
  let members: ArraySlice<NSObject>

  var numberOfObjects: Int { members.count }
  var objects: [Any]? { Array(members) }
}
