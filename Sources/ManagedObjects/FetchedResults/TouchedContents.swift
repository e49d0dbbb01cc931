import Foundation

/// The effect of changes of a few objects on a fetched results controller: the new contents, and the changes to report.
///
/// The cost depends on the number of changed objects only: all others keep their order, since their sort keys haven't
/// changed. `FetchedContentsTests` compares the result with the one computed from all objects.
struct TouchedContents {
  let contents: FetchedContents
  let change: ContentsChange

  /// How objects are filtered, sorted and assigned to sections.
  struct Rules {
    let order: ObjectOrder
    /// The name of an object's section; nil if there are no sections.
    let sectionName: ((NSObject) -> String)?
    let fits: (NSManagedObject) -> Bool
  }

  /// An object to be inserted.
  private struct Item {
    let object: NSManagedObject
    /// The old position; nil for a new object.
    let old: Int?
    /// The index among the unchanged objects before which it comes.
    var place = 0
    var name = ""
  }

  /// - Parameters:
  ///   - touched: The inserted and changed objects of the fetched entities.
  ///   - gone: The deleted objects.
  ///   - updated: Those of the touched objects whose values changed.
  /// - Returns: Nil if other objects are affected too, or so many changed that comparing all is better.
  init?(
    _ old: FetchedContents, touched: [NSManagedObject], gone: [NSManagedObject],
    updated: Set<ObjectIdentifier>, _ rules: Rules
  ) {
    guard (touched.count + gone.count) * 16 <= old.list.count else { return nil }
    var seen = Set(gone.map(ObjectIdentifier.init))
    var removed: [(object: NSManagedObject, old: Int)] = gone.compactMap { object in
      old.position(of: object).map { (object, $0) }
    }
    var items: [Item] = []
    for object in touched where seen.insert(ObjectIdentifier(object)).inserted {
      let position = old.position(of: object)
      if rules.fits(object) {
        // An object that is there already and hasn't changed moves only with its neighbours.
        guard position == nil || updated.contains(ObjectIdentifier(object)) else { return nil }
        items.append(Item(object: object, old: position))
      } else if let position {
        removed.append((object, position))
      }
    }
    guard !items.isEmpty || !removed.isEmpty else {
      (contents, change) = (
        old, ContentsChange(deletedSections: [], insertedSections: [], objects: [])
      )
      return
    }
    removed.sort { $0.old < $1.old }
    let staying = Staying(
      old, without: (removed.map(\.old) + items.compactMap(\.old)).sorted())
    guard items.isEmpty || staying.isInOrder(rules.order) else { return nil }
    for index in items.indices {
      items[index].place = staying.place(
        for: items[index].object, from: items[index].old, rules.order)
      if let sectionName = rules.sectionName {
        items[index].name = sectionName(items[index].object)
      }
    }
    let order = rules.order
    items = items.enumerated().sorted { left, right in
      let (a, b) = (left.element, right.element)
      if a.place != b.place { return a.place < b.place }
      switch order.compare(a.object, b.object) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: return (a.old ?? .max, left.offset) < (b.old ?? .max, right.offset)
      }
    }.map(\.element)
    guard
      let sections = Self.sections(staying, items, hasNames: rules.sectionName != nil),
      let sectionChanges = SectionChanges(from: old.sections, to: sections)
    else { return nil }

    var list = staying.list
    let homes = old.homesForSuccessor()
    for (object, _) in removed { homes.move(ObjectIdentifier(object), to: nil) }
    list.insert(items.map { ($0.object, $0.place) }) { homes.move(ObjectIdentifier($0), to: $1) }
    contents = FetchedContents(list, sections, hasNames: old.hasNames, homes: homes)
    change = Self.change(
      from: old, removing: removed, placing: items, among: staying, sections: sectionChanges)
  }

  /// The unchanged objects.
  private struct Staying {
    let list: ObjectChunks
    /// The sections without the changed objects; some may be empty.
    let sections: [FetchedContents.Section]
    private let taken: [Int]

    /// - Parameter taken: The old positions of the changed objects.
    init(_ old: FetchedContents, without taken: [Int]) {
      self.taken = taken
      var list = old.list
      list.remove(at: taken)
      self.list = list
      var (next, start) = (0, 0)
      sections = old.sections.map { section in
        let before = next
        while next < taken.count, taken[next] < section.range.upperBound { next += 1 }
        let end = start + section.range.count - (next - before)
        defer { start = end }
        return FetchedContents.Section(name: section.name, range: start..<end)
      }
    }

    /// Whether the neighbours of what was taken are in order. They aren't where an object has been placed beside one that
    /// had changed as well, of which the controller was told later.
    func isInOrder(_ order: ObjectOrder) -> Bool {
      taken.enumerated().allSatisfy { offset, position in
        let place = position - offset
        guard place > 0, place < list.count else { return true }
        let (before, after) = (list[place - 1], list[place])
        // A change here would have loaded it.
        guard !Self.isFault(before), !Self.isFault(after) else { return true }
        return order.compare(before, after) != .orderedDescending
      }
    }

    private static func isFault(_ object: NSObject) -> Bool {
      (object as? NSManagedObject)?.isFault ?? false
    }

    /// The old position of an unchanged object.
    func oldPosition(_ index: Int) -> Int {
      // Count the removed objects that stood before it.
      var (low, high) = (0, taken.count)
      while low < high {
        let middle = (low + high) / 2
        if taken[middle] - middle <= index { low = middle + 1 } else { high = middle }
      }
      return index + low
    }

    /// The index before which an object comes. Among equal objects it keeps its place; a new one comes last.
    func place(for object: NSManagedObject, from old: Int?, _ order: ObjectOrder) -> Int {
      var (low, high) = (0, list.count)
      while low < high {
        let middle = (low + high) / 2
        let comesBefore =
          switch order.compare(list[middle], object) {
          case .orderedAscending: true
          case .orderedDescending: false
          case .orderedSame: oldPosition(middle) < old ?? .max
          }
        if comesBefore { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// The sections of the unchanged and the inserted objects; nil if a section would be split.
  private static func sections(
    _ staying: Staying, _ items: [Item], hasNames: Bool
  ) -> [FetchedContents.Section]? {
    guard hasNames else {
      return [FetchedContents.Section(name: "", range: 0..<staying.list.count + items.count)]
    }
    var sections: [FetchedContents.Section] = []
    var end = 0
    func append(_ name: String, _ count: Int) {
      guard count > 0 else { return }
      let start = end
      end += count
      if let last = sections.last, last.name == name {
        sections[sections.count - 1] = FetchedContents.Section(
          name: name, range: last.range.lowerBound..<end)
      } else {
        sections.append(FetchedContents.Section(name: name, range: start..<end))
      }
    }
    var (next, position) = (0, 0)
    for section in staying.sections {
      while next < items.count, items[next].place < section.range.upperBound {
        append(section.name, items[next].place - position)
        append(items[next].name, 1)
        position = items[next].place
        next += 1
      }
      append(section.name, section.range.upperBound - position)
      position = section.range.upperBound
    }
    for item in items[next...] { append(item.name, 1) }
    var names: Set<String> = []
    return sections.allSatisfy { names.insert($0.name).inserted } ? sections : nil
  }

  /// The deleted and inserted sections.
  private struct SectionChanges {
    private(set) var deleted: [Int] = []
    private(set) var inserted: [Int] = []
    private(set) var insertedNames: Set<String> = []

    /// Nil if remaining sections have changed their order.
    init?(from old: [FetchedContents.Section], to new: [FetchedContents.Section]) {
      if old.count == new.count, zip(old, new).allSatisfy({ $0.name == $1.name }) { return }
      let (before, after) = (Set(old.map(\.name)), Set(new.map(\.name)))
      deleted = old.indices.filter { !after.contains(old[$0].name) }
      inserted = new.indices.filter { !before.contains(new[$0].name) }
      insertedNames = after.subtracting(before)
      guard
        old.lazy.map(\.name).filter({ after.contains($0) })
          .elementsEqual(new.lazy.map(\.name).filter { before.contains($0) })
      else { return nil }
    }
  }

  private static func change(
    from old: FetchedContents, removing removed: [(object: NSManagedObject, old: Int)],
    placing items: [Item], among staying: Staying, sections: SectionChanges
  ) -> ContentsChange {
    var insertions: [ContentsChange.ObjectChange] = []
    var kept: [(item: Item, new: Int, changesSection: Bool)] = []
    for (offset, item) in items.enumerated() {
      let position = item.place + offset
      guard let before = item.old else {
        insertions.append(.init(object: item.object, type: .insert, old: nil, new: position))
        continue
      }
      let changesSection =
        old.hasNames
        && (old.sections[old.indexPath(before)[0]].name != item.name
          || sections.insertedNames.contains(item.name))
      kept.append((item, position, changesSection))
    }
    var moves: [ContentsChange.ObjectChange] = []
    var updates: [ContentsChange.ObjectChange] = []
    var start = 0
    while start < kept.count {
      let place = kept[start].item.place
      let end = kept[start...].firstIndex { $0.item.place != place } ?? kept.count
      let group = kept[start..<end]
      // An object between these two old positions may have stayed in place.
      let lower = place > 0 ? staying.oldPosition(place - 1) : -1
      let upper = place < staying.list.count ? staying.oldPosition(place) : Int.max
      let inPlace = ContentsChange.inPlace(
        group.map { ($0.item.old ?? 0, $0.new) }, lower: lower, upper: upper)
      for part in group {
        let isMoved = part.changesSection || !inPlace.contains(part.new)
        let change = ContentsChange.ObjectChange(
          object: part.item.object, type: isMoved ? .move : .update, old: part.item.old,
          new: part.new)
        if isMoved { moves.append(change) } else { updates.append(change) }
      }
      start = end
    }
    let deletions = removed.map {
      ContentsChange.ObjectChange(object: $0.object, type: .delete, old: $0.old, new: nil)
    }
    return ContentsChange(
      deletedSections: sections.deleted, insertedSections: sections.inserted,
      objects: deletions + insertions + moves + updates)
  }
}
