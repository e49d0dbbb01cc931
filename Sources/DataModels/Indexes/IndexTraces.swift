import Foundation

/// The traces of an entity's fetch indexes in the older representations: the "indexed" checkbox of a property with an
/// index of its own, and the list of compound indexes.
///
/// Compilers write both in addition to the fetch indexes, and whoever finds no fetch index goes by them, so a change of
/// the indexes must keep them consistent.
package struct IndexTraces {
  /// The indexes that leave a trace, with the names of their properties.
  private var indexes: [(index: NSFetchIndexDescription, names: [String])] = []

  /// Creates an empty instance.
  package init() {}

  /// Collects the traces of an entity's current indexes.
  package init(in entity: NSEntityDescription) {
    for index in entity.indexes where index.elements.allSatisfy(Self.isPlain) {
      indexes.append((index, index.elements.compactMap(\.propertyName)))
    }
  }

  /// The properties with an index of their own.
  package var alone: [String] { indexes.filter { $0.names.count == 1 }.flatMap(\.names) }

  /// The properties of each index over several.
  package var compound: [[String]] { indexes.map(\.names).filter { $0.count > 1 } }

  private static func isPlain(_ element: NSFetchIndexElementDescription) -> Bool {
    element.expressionDescription == nil && element.collationType == .binary
  }

  /// Replaces these traces by those of the entity's indexes as they are now.
  ///
  /// New indexes leave traces where the former ones did: a model that was made in code has none, and gets the list of
  /// compound indexes when it is written.
  func follow(_ entity: NSEntityDescription) {
    let now = IndexTraces(in: entity)
    followCompounds(of: entity, now)
    followMarks(of: entity, now)
  }

  /// Does so after a property was renamed, whose checkbox is its own.
  func followNames(in entity: NSEntityDescription) {
    followCompounds(of: entity, IndexTraces(in: entity))
  }

  private func followCompounds(of entity: NSEntityDescription, _ now: IndexTraces) {
    let (before, after) = (compound, now.compound)
    guard !entity.compoundIndexNames.isEmpty, before != after else { return }
    let former = Dictionary(
      indexes.map { ($0.names, ObjectIdentifier($0.index)) },
      uniquingKeysWith: { first, _ in first })
    let present = Dictionary(
      now.indexes.filter { $0.names.count > 1 }.map { (ObjectIdentifier($0.index), $0.names) },
      uniquingKeysWith: { first, _ in first })
    let staying = Set(after)
    let followed = entity.compoundIndexNames.compactMap { names in
      // Those of no index were declared by themselves.
      guard !staying.contains(names), let index = former[names] else { return names }
      return present[index]
    }
    let known = Set(followed).union(before)
    entity.extra.compoundIndexes = followed + after.filter { !known.contains($0) }
  }

  private func followMarks(of entity: NSEntityDescription, _ now: IndexTraces) {
    let (before, after) = (Set(alone), Set(now.alone))
    guard before != after else { return }
    // An index over an inherited property leaves no trace: the checkbox belongs to the parent.
    let own = Dictionary(
      entity.ownPropertyList.map { ($0.storedName, $0) }, uniquingKeysWith: { first, _ in first })
    let leavesMarks = before.contains { own[$0]?.isIndexed == true }
    for name in before.subtracting(after) { own[name]?.isIndexed = false }
    guard leavesMarks else { return }
    for name in after.subtracting(before) { own[name]?.isIndexed = true }
  }
}

extension NSEntityDescription {
  /// Makes a change of the entity's indexes, which their traces follow.
  final func changeIndexes(_ change: () -> Void) {
    guard tendsIndexTraces else { return change() }
    let traces = IndexTraces(in: self)
    change()
    traces.follow(self)
  }

  /// Gives one of the entity's properties another name, also in the indexes of the entity and of those below it.
  final func rename(_ property: NSPropertyDescription, _ change: () -> Void) {
    let name = property.storedName
    var followers: [(entity: NSEntityDescription, traces: IndexTraces)] = []
    var elements: [NSFetchIndexElementDescription] = []
    var pending = [self]
    while let entity = pending.popLast() {
      // An override is what the name means from here on.
      guard entity === self || !entity.ownPropertyList.contains(where: { $0.storedName == name })
      else { continue }
      pending += entity.storedSubentities
      guard entity.tendsIndexTraces, !entity.indexes.isEmpty else { continue }
      let following = entity.indexes.flatMap(\.storedElements).filter { $0.follow(property) }
      guard !following.isEmpty else { continue }
      elements += following
      followers.append((entity, IndexTraces(in: entity)))
    }
    change()
    for element in elements { element.storedPropertyName = property.storedName }
    for (entity, traces) in followers { traces.followNames(in: entity) }
  }
}
