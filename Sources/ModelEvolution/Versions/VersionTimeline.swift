import DataModels
import Foundation
import PropertyLists

/// The versions of a model, read once, with the matching of elements from each version to the next. Reports of all
/// versions are based on it.
package struct VersionTimeline: Sendable {
  /// A migration between two versions, given by their indexes.
  package struct Pair: Sendable, Hashable {
    package let from: Int
    package let to: Int

    package init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// The matching of elements from one version to the next.
  package struct Step: Sendable {
    private let matching: ElementMatching

    fileprivate init(_ matching: ElementMatching) { self.matching = matching }

    /// The path in the older version of an element of the newer one; nil when it is new.
    package func oldPath(of path: ModelPath) -> ModelPath? { matching.oldPath(of: path) }
  }

  /// The outlines of the versions, in order.
  package let outlines: [ModelOutline]
  /// The matchings; the first is from the first version to the second.
  package let steps: [Step]
  /// The elements of each version that have to be compared with the previous version. All others are unchanged, and
  /// so are their entities' hashes.
  package let changedPaths: [[ModelPath]]
  /// The elements of the previous version that have to be compared; empty for the first.
  package let changedPathsBefore: [[ModelPath]]
  private let sequence: OutlineSequence
  private var hashes: [[String: Data]] { sequence.hashes }

  /// Reads the versions of a history.
  package init(_ history: VersionedModel) {
    let sequence = OutlineSequence(history.versions.map(\.model))
    let outlines = sequence.outlines
    self.sequence = sequence
    self.outlines = outlines
    changedPaths = Array(outlines.indices).concurrentMap { version in
      sequence.paths(of: version, changedIn: version)
    }
    changedPathsBefore = Array(outlines.indices).concurrentMap { version in
      version == 0 ? [] : sequence.paths(of: version - 1, changedIn: version)
    }
    let (now, before) = (changedPaths, changedPathsBefore)
    steps = Array(outlines.indices.dropFirst()).concurrentMap { index in
      Step(
        ElementMatching(
          from: outlines[index - 1], to: outlines[index], among: (before[index], now[index])))
    }
  }

  /// Whether an element has the same version hash in two versions; always true for elements without a hash.
  package func hashIsSame(of path: ModelPath, in version: Int, and other: Int) -> Bool {
    guard case .entity(let name) = path else { return true }
    return hashes[version][name] == hashes[other][name]
  }

  /// The first digits of an entity's version hash; nil for elements without a hash.
  package func hash(of path: ModelPath, in version: Int) -> String? {
    guard case .entity(let name) = path else { return nil }
    return hashes[version][name].map { DisplayText.hex($0.prefix(6)) }
  }

  /// The migration verdicts, in the order of the pairs.
  package func verdicts(_ pairs: [Pair]) -> [(pair: Pair, verdict: MigrationVerdict)] {
    let contents = sequence.visibleProperties()
    return pairs.concurrentMap { pair in
      (
        pair,
        MigrationVerdict(
          from: contents[pair.from], to: contents[pair.to],
          hashesAreEqual: hashes[pair.from] == hashes[pair.to])
      )
    }
  }
}

extension ModelElementKind {
  /// The facts of elements of this kind, in the order of the fact table.
  package var factSummaries: [(name: String, isHashed: Bool, holdsReferences: Bool)] {
    Fact.table(for: self).map { fact in
      var isHashed = false
      if case .covered = fact.hash { isHashed = true }
      return (fact.name, isHashed, fact.holdsReferences)
    }
  }
}
