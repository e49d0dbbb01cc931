import DataModels
import Foundation
import ModelEvolution
import ModelSource
import TestSupport
import Testing

/// The laws of merging, tested with random edits of real and random models and of their sources.
///
/// - A merge with an unchanged side equals the other side, byte for byte.
/// - If both sides make the same edit, the result has that edit.
/// - A clean merge compiles, and derives and compares nothing of the wrong type, if this is true of both sides.
/// - It contains the comments, unknown attributes and elements that either side added, and none that a side removed.
/// - Exchanging the sides doesn't change a clean merge.
/// - It has no composite that neither side has, and all those that both have.
///
/// Composites aren't named after attributes, as they are in what the writer makes of a compiled model. Four out of seven triples use ``RivalEdits`` and ``SourceTextEdits`` in addition to ``ShapedEdits``, and two
/// out of three ``CompositeTextEdits``; two out of eleven also use ``ConstraintMoves``.
///
/// ``Trials`` sets the number of triples, and `MOMKIT_MERGE_FOLDER` a folder for their sources.
@Suite struct MergeLawTests {
  private static let seeds = Trials.seeds(150)

  /// Rare triples that once violated a law: a property that is both moved to a parent and copied; one that is indexed
  /// by one side and moved or renamed by the other; one that is indexed by one side and made transient by the other;
  /// and a comment on a configuration's member, whose entity the other side renames.
  private static let onceBroken: [UInt64] = [
    250, 4261, 6267, 9165, 10205, 14648, 30049, 30155,
  ]

  private static let folder = ProcessInfo.processInfo.environment["MOMKIT_MERGE_FOLDER"]

  @Test func mergesObeyTheLaws() throws {
    var counts = Counts()
    for seed in Array(Self.seeds) + Self.onceBroken {
      do {
        guard let triple = MergeTriple(seed: seed) else { continue }
        if let folder = Self.folder { try triple.write(to: folder) }
        try triple.check(&counts)
      } catch { Issue.record("seed \(seed): \(error)") }
    }
    #expect(counts.clean > Self.seeds.count / 5 && counts.contested > 0, "\(counts)")
    if Trials.factor > 1 { print(counts) }
  }

  struct Counts {
    var clean = 0
    var contested = 0
    var refused = 0
    var bundles = 0
    var renumbered = 0
  }
}

/// A base and two sides, each with its source.
private struct MergeTriple {
  let seed: UInt64
  let base: NSManagedObjectModel
  let ours: NSManagedObjectModel
  let theirs: NSManagedObjectModel
  let baseText: String
  let ourText: String
  let theirText: String

  /// Models of the corpus that are small enough to be merged often.
  private static let real: [Data] = {
    guard Corpus.isPresent else { return [] }
    var all: [Data] = []
    for history in CorpusHistories.sources {
      for version in (try? ModelPackage(at: history.url).versions.suffix(2)) ?? [] {
        guard let data = try? Data(contentsOf: version.url), data.count < 20_000,
          (try? SourceModel(data: data)) != nil
        else { continue }
        all.append(data)
      }
    }
    return all
  }()

  /// Creates a triple, or returns nil if the seed's models don't compile.
  init?(seed: UInt64) {
    self.seed = seed
    let start: NSManagedObjectModel?
    if seed % 3 == 0, !Self.real.isEmpty {
      start = try? SourceModel(data: Self.real[Int(seed / 3) % Self.real.count]).model
    } else {
      start = RandomModel(
        seed: seed, entities: 1...5, attributes: 1...4,
        features: [
          .inheritance, .composites, .derived, .fetched, .indexes, .uniqueness, .userInfo,
          .templates, .configurations, .versions,
        ]
      ).model()
    }
    guard let start else { return nil }
    // In a fifth of the triples, everybody marks and unmarks attributes as indexed.
    let marks = seed % 5 == 0
    let hasRivals = seed % 7 < 4
    let movesConstraints = [0, 5].contains(seed % 11)
    func compiled(
      _ model: NSManagedObjectModel, _ edits: inout ShapedEdits, _ seed: UInt64, _ tag: String,
      _ tries: Int
    ) -> NSManagedObjectModel? {
      var model = model
      if hasRivals {
        var rivals = RivalEdits(seed: seed, tag: tag)
        model = rivals.edited(model, tries: tries)
      }
      if movesConstraints {
        var moves = ConstraintMoves(seed: seed)
        model = moves.edited(model, tries: tries)
      }
      var source = Self.source(of: marks ? edits.marked(model) : model)
      if tag == "B", seed % 2 == 0 { source = (try? CompositeTextEdits.named(source)) ?? source }
      if tag != "B", seed % 3 != 0 {
        // What can't be read, such as a composite without elements, isn't a side.
        var composites = CompositeTextEdits(seed: seed, tag: tag)
        if let text = try? composites.edited(source, tries: Int(seed % 4)),
          (try? Self.compiled(text)) != nil
        {
          source = text
        }
      }
      var texts = SourceTextEdits(seed: seed, tag: tag)
      return try? Self.compiled(hasRivals ? texts.edited(source, tries: tries) : source)
    }
    let (many, few) = (Int(seed / 7 % 4), Int(seed / 28 % 4))
    var common = ShapedEdits(seed: seed, tag: "B")
    var mine = ShapedEdits(seed: seed &* 2, tag: "O")
    var yours = ShapedEdits(seed: seed &* 2 + 1, tag: "T")
    guard let base = compiled(start, &common, seed, "B", 6),
      let ours = compiled(
        mine.edited(base, tries: 1 + Int(seed % 6)), &mine, seed &* 2, "O", many),
      let theirs = compiled(
        yours.edited(base, tries: 1 + Int(seed / 6 % 6)), &yours, seed &* 2 + 1, "T", few)
    else { return nil }
    (self.base, self.ours, self.theirs) = (base, ours, theirs)
    (baseText, ourText, theirText) = (
      Self.source(of: base), Self.source(of: ours), Self.source(of: theirs)
    )
  }

  private static func source(of model: NSManagedObjectModel) -> String { SourceWriter(model).xml }

  private static func compiled(_ source: String) throws -> NSManagedObjectModel {
    try SourceModel(data: Data(source.utf8)).model
  }

  private static func written(
    _ merge: ModelMerge, _ base: NSManagedObjectModel, _ theirs: NSManagedObjectModel
  ) -> SourceWriter {
    SourceWriter(merged: merge.model, base: base, theirs: theirs, names: merge.names)
  }

  /// Writes the three sources to a folder for inspection.
  func write(to folder: String) throws {
    for (name, text) in [("base", baseText), ("ours", ourText), ("theirs", theirText)] {
      let url = URL(fileURLWithPath: folder).appendingPathComponent("\(seed)-\(name).xml")
      try Data(text.utf8).write(to: url)
    }
  }

  func check(_ counts: inout MergeLawTests.Counts) throws {
    for (side, text) in [(ours, ourText), (theirs, theirText)] {
      for (mine, yours) in [(side, base), (base, side), (side, side)] {
        let merge = try ModelMerge(base: base, ours: mine, theirs: yours)
        #expect(merge.conflicts == [], "seed \(seed)")
        #expect(ModelOutline(of: merge.model) == ModelOutline(of: side), "seed \(seed)")
        #expect(
          merge.model.entityVersionHashesByName == side.entityVersionHashesByName, "seed \(seed)")
        let writer = Self.written(merge, base, yours)
        #expect(writer.conflicts == [], "seed \(seed)")
        let found = writer.xml
        if found != text {
          Issue.record("seed \(seed): written otherwise: \(Self.firstDifference(found, text))")
        }
      }
    }
    let merge = try ModelMerge(base: base, ours: ours, theirs: theirs)
    let swapped = try ModelMerge(base: base, ours: theirs, theirs: ours)
    #expect(
      merge.conflicts.isEmpty == swapped.conflicts.isEmpty,
      "seed \(seed): \(merge.conflicts + swapped.conflicts)")
    let writers = [Self.written(merge, base, theirs), Self.written(swapped, base, ours)]
    // Open: whether a composite that one side removed and the other uses is restored with a conflict depends on the
    // direction in seed 119.
    let numbers = writers.map { $0.conflicts.count { $0.kind != .removedButUsed } }
    #expect(
      numbers[0] == numbers[1],
      "seed \(seed): \(writers.map(\.conflicts))")
    guard merge.conflicts.isEmpty, swapped.conflicts.isEmpty,
      writers.allSatisfy({ $0.conflicts.isEmpty })
    else {
      counts.contested += 1
      return
    }
    counts.clean += 1
    let difference = ModelDifference(from: merge.model, to: swapped.model)
    #expect(difference.isEmpty, "seed \(seed): \(difference.changes.map(\.sentence))")
    if ours.mistypedUses + theirs.mistypedUses == 0 {
      #expect(merge.model.mistypedUses == 0, "seed \(seed): a use of the wrong type")
    }
    for (merge, writer) in zip([merge, swapped], writers) {
      checkTexts(writer.xml)
      try checkComposites(writer.xml)
      do {
        let again = try Self.compiled(writer.xml)
        let difference = ModelDifference(from: merge.model, to: again)
        // An attribute added by one side has that side's elements, though the other changed the composite; the driver
        // reads the source back, and refuses it.
        let start = ModelOutline(of: base)
        let changes = difference.changes.filter { $0.fact != "elements" || start[$0.path] != nil }
        #expect(changes.isEmpty, "seed \(seed): \(changes.map(\.sentence))")
      } catch {
        counts.refused += 1
        Issue.record("seed \(seed): doesn't compile: \(error)")
      }
    }
    if seed % 4 == 0 { try checkBundles(&counts) }
  }

  /// Checks that no composite is lost, and none made up.
  private func checkComposites(_ merged: String) throws {
    let (mine, yours) = (
      try CompositeTextEdits.names(in: ourText), try CompositeTextEdits.names(in: theirText)
    )
    let found = try CompositeTextEdits.names(in: merged)
    #expect(found.subtracting(mine.union(yours)).isEmpty, "seed \(seed): \(found)")
    #expect(found.isSuperset(of: mine.intersection(yours)), "seed \(seed): \(found)")
  }

  /// Checks that everything added by a side occurs once, and nothing removed by one does.
  private func checkTexts(_ merged: String) {
    let (start, mine) = (SourceTextEdits.tokens(in: baseText), SourceTextEdits.tokens(in: ourText))
    let yours = SourceTextEdits.tokens(in: theirText)
    let found = SourceTextEdits.tokens(in: merged)
    for token in Set([start, mine, yours, found].flatMap(\.keys)) {
      let isWanted = start[token] == nil || (mine[token] != nil && yours[token] != nil)
      let most = isWanted ? max(mine[token] ?? 0, yours[token] ?? 0) : 0
      #expect(
        (min(1, most)...most).contains(found[token] ?? 0), "seed \(seed): [\(token)]")
    }
  }

  /// Both sides add versions to a bundle; the seed determines how many.
  private func checkBundles(_ counts: inout MergeLawTests.Counts) throws {
    var mine = ShapedEdits(seed: seed &* 2 + 11, tag: "M")
    func history(_ versions: [NSManagedObjectModel]) -> VersionedModel {
      VersionedModel(
        versions.enumerated().map { (name: "Model \($0 + 1)", model: $1) },
        currentVersionName: "Model \(versions.count)")
    }
    let start = history([base])
    let one = history([base, ours, mine.edited(ours, tries: 2)])
    let other = history([base, theirs])
    counts.bundles += 1
    for (ours, theirs) in [(one, other), (other, one)] {
      for (mine, yours) in [(ours, start), (start, ours)] {
        let merge = try VersionedModelMerge(
          base: start, ours: mine, theirs: yours, renumbering: true)
        #expect(merge.conflicts.isEmpty && merge.renumberings.isEmpty, "seed \(seed)")
        #expect(merge.history.currentVersionName == ours.currentVersionName, "seed \(seed)")
        #expect(merge.history.versions.map(\.name) == ours.versions.map(\.name), "seed \(seed)")
      }
      let merge = try VersionedModelMerge(
        base: start, ours: ours, theirs: theirs, renumbering: true)
      guard merge.conflicts.isEmpty, let step = merge.renumberings.first else { continue }
      counts.renumbered += 1
      #expect(step.to == "Model 4", "seed \(seed)")
      #expect(merge.history.currentVersionName == "Model 4", "seed \(seed)")
      #expect(merge.history.versions.count == 4, "seed \(seed)")
      for version in merge.history.versions {
        let errors = version.model.findings().filter { $0.severity == .error }
        #expect(errors.isEmpty, "seed \(seed), \(version.name): \(errors)")
      }
    }
  }

  private static func firstDifference(_ found: String, _ wanted: String) -> String {
    let (found, wanted) = (found.split(separator: "\n"), wanted.split(separator: "\n"))
    let place = zip(found, wanted).enumerated().first { $1.0 != $1.1 }?.offset
    guard let place else { return "\(found.count) lines instead of \(wanted.count)" }
    return "line \(place + 1): \(found[place]), wanted \(wanted[place])"
  }
}
