import Foundation
import TestSupport
import Testing

/// The sides of merges that git has left unfinished, `git:1:` to `git:3:`, and what momtool advises to do with them.
@Suite struct UnfinishedMergeTests {
  static let bundle = "App/Shop.xcdatamodeld"

  private static let number = OrderSource.attribute("number", "Integer 64")
  private static let (a, b, c) = (
    OrderSource.attribute("a"), OrderSource.attribute("b"), OrderSource.attribute("c")
  )

  private static func source(_ version: String, in bundle: String = bundle) -> String {
    "\(bundle)/\(version).xcdatamodel/contents"
  }

  /// A repository with one version, configured for momtool.
  private func repository() throws -> TemporaryRepository {
    let repository = try TemporaryRepository()
    let setup = try Tool.run("git-setup", "--command", Tool.url.path, in: repository.folder)
    try #require(setup.status == 0, "\(setup.errors)")
    try add([], as: "V1", to: repository)
    return repository
  }

  /// Adds a version, makes it the current one, and commits it.
  private func add(
    _ attributes: [String], as version: String, in bundle: String = Self.bundle,
    to repository: TemporaryRepository
  ) throws {
    try repository.write(
      OrderSource.contents([Self.number] + attributes), to: Self.source(version, in: bundle))
    try repository.write(OrderSource.pointer(version), to: "\(bundle)/.xccurrentversion")
    try repository.commit(version)
  }

  /// Runs the command that the driver advises.
  private func renumber(
    _ repository: TemporaryRepository, _ bundle: String = Self.bundle
  ) throws -> Tool.Outcome {
    try Tool.run(
      "merge", "--base", "git:1:\(bundle)", "--ours", "git:2:\(bundle)", "--theirs",
      "git:3:\(bundle)", "--renumber", "-o", bundle, in: repository.folder)
  }

  private func dump(_ repository: TemporaryRepository, _ input: String) throws -> String {
    let outcome = try Tool.run("dump", input, in: repository.folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.text
  }

  private static func note(_ type: String) -> String { OrderSource.attribute("note", type) }

  /// One branch added V2, the other a V2 that contradicts it, and V3; each branch is ours once.
  private func unfinishedMerge(
    oursIsLonger: Bool, contradiction: (String, String) = ("Date", "UUID")
  ) throws -> TemporaryRepository {
    let repository = try repository()
    let (short, long) = oursIsLonger ? ("topic", "main") : ("main", "topic")
    try repository.git("branch", "topic")
    try repository.git("checkout", "-q", short)
    try add([Self.note(contradiction.0)], as: "V2", to: repository)
    try repository.git("checkout", "-q", long)
    try add([Self.note(contradiction.1)], as: "V2", to: repository)
    try add([Self.note(contradiction.1), Self.c], as: "V3", to: repository)
    try repository.git("checkout", "-q", "main")
    let outcome = try repository.attempt(["merge", "topic"])
    #expect(outcome.status == 1, "\(outcome.text)")
    return repository
  }

  @Test(arguments: [false, true])
  func aSideHasNothingOfTheOther(oursIsLonger: Bool) throws {
    let repository = try unfinishedMerge(oursIsLonger: oursIsLonger)
    let (short, long) = oursIsLonger ? (3, 2) : (2, 3)
    #expect(try dump(repository, "git:\(short):\(Self.bundle)@V2").contains("Date"))
    let none = try Tool.run("dump", "git:\(short):\(Self.bundle)@V3", in: repository.folder)
    #expect(none.status == 2)
    #expect(try dump(repository, "git:\(long):\(Self.bundle)").contains(" c "))
    #expect(!(try dump(repository, "git:1:\(Self.bundle)").contains(" note ")))
    // A side that has the other's newer version seems to have changed nothing.
    let merged = try renumber(repository)
    #expect(merged.status == 1, "\(merged.errors)\(merged.text)")
    #expect(merged.text.contains("Order.note"), "\(merged.text)")
    #expect(
      merged.errors.contains(
        oursIsLonger ? "theirs' version V2 is now V4" : "our version V2 is now V4"),
      "\(merged.errors)")
  }

  /// Git has merged the commit's files with those of the branch, which are no base.
  enum Application: CaseIterable { case rebase, rebaseOfPatches, cherryPick, stash, revert }

  @Test(arguments: Application.allCases)
  func anAppliedCommitIsRenumbered(application: Application) throws {
    let repository = try repository()
    try repository.git("checkout", "-q", "-b", "topic")
    try add([Self.note("Date"), Self.b], as: "V2", to: repository)
    try repository.git("checkout", "-q", "main")
    try add([Self.note("UUID"), Self.a], as: "V2", to: repository)
    try add([Self.note("UUID"), Self.a, Self.c], as: "V3", to: repository)
    let outcome: TemporaryRepository.Outcome
    switch application {
    case .rebase: outcome = try repository.attempt(["rebase", "main", "topic"])
    case .rebaseOfPatches: outcome = try repository.attempt(["rebase", "--apply", "main", "topic"])
    case .cherryPick: outcome = try repository.attempt(["cherry-pick", "topic"])
    case .stash:
      try repository.git("checkout", "-q", "topic")
      try repository.git("reset", "-q", "--soft", "HEAD~1")
      try repository.git("stash")
      try repository.git("checkout", "-q", "main")
      outcome = try repository.attempt(["stash", "pop"])
    case .revert:
      // The removal of what topic has is undone.
      try repository.git("checkout", "-q", "topic")
      try repository.git("rm", "-q", "-r", Self.bundle + "/V2.xcdatamodel")
      try repository.write(OrderSource.pointer("V1"), to: "\(Self.bundle)/.xccurrentversion")
      try repository.commit("removal")
      let removal = try repository.git("rev-parse", "HEAD")
        .trimmingCharacters(in: .whitespacesAndNewlines)
      try repository.git("checkout", "-q", "main")
      outcome = try repository.attempt(["revert", "--no-edit", removal])
    }
    #expect(outcome.status == 1, "\(outcome.text)")
    let base = try dump(repository, "git:1:\(Self.bundle)")
    #expect(base.contains(" number ") && !base.contains(" note ") && !base.contains(" c "))
    let merged = try renumber(repository)
    #expect(merged.status == 1, "\(merged.errors)\(merged.text)")
    #expect(merged.text.contains("Order.note"), "\(merged.text)")
    #expect(merged.errors.contains("theirs' version V2 is now V4"), "\(merged.errors)")
    let kept = try Tool.run(
      "merge", "--base", "git:1:\(Self.bundle)", "--ours", "git:2:\(Self.bundle)", "--theirs",
      "git:3:\(Self.bundle)", "--renumber", "--keep-conflicts", "-o", Self.bundle,
      in: repository.folder)
    #expect(kept.status == 1, "\(kept.errors)")
    let text = try dump(repository, Self.bundle)
    #expect(text.contains("V4") && text.contains(" a ") && text.contains(" c "), "\(text)")
    #expect(text.contains(" b "), "\(text)")
  }

  /// A clean result for the same, without any contradiction.
  @Test func aRebasedVersionGoesOnTop() throws {
    let repository = try repository()
    try repository.git("checkout", "-q", "-b", "topic")
    try add([Self.note("Date")], as: "V2", to: repository)
    try repository.git("checkout", "-q", "main")
    try add([Self.note("UUID")], as: "V2", to: repository)
    try add([Self.c], as: "V3", to: repository)
    #expect(try repository.attempt(["rebase", "main", "topic"]).status == 1)
    let merged = try renumber(repository)
    #expect(merged.status == 0, "\(merged.errors)\(merged.text)")
    let text = try dump(repository, Self.bundle)
    #expect(text.contains("V4") && text.contains(" c ") && text.contains(" note "), "\(text)")
  }

  /// Of a merge that becomes an ordinary commit, git doesn't note what it merges.
  @Test func sidesThatGitDoesNotSayAreRefused() throws {
    let repository = try repository()
    try repository.git("checkout", "-q", "-b", "topic")
    try add([Self.note("Date")], as: "V2", to: repository)
    try repository.git("checkout", "-q", "main")
    try add([Self.note("UUID")], as: "V2", to: repository)
    #expect(try repository.attempt(["merge", "--squash", "topic"]).status == 1)
    let merged = try renumber(repository)
    #expect(merged.status == 2, "\(merged.text)")
    #expect(merged.errors.contains("git doesn't say which commits it is merging"))
    // Files of their own have sides.
    #expect(try dump(repository, "git:3:\(Self.source("V2"))").contains("Date"))
  }

  /// One side moved the bundle's folder: the base is the version that the bundle had under its former path.
  @Test(arguments: [false, true], [false, true])
  func versionsOfAMovedBundleMergeOntoTheirPredecessor(isOurs: Bool, conflicts: Bool) throws {
    let repository = try repository()
    try repository.git("config", "merge.directoryRenames", "true")
    try repository.write(
      OrderSource.contents([Self.number]), to: "Other.xcdatamodeld/V1.xcdatamodel/contents")
    try add([Self.a], as: "V2", to: repository)
    let moved = "Sources/Shop.xcdatamodeld"
    let contradiction = conflicts ? ["Date", "UUID"] : ["Date", "Date"]
    func move() throws {
      try repository.git("mv", "App", "Sources")
      try add([Self.note(contradiction[0]), Self.b], as: "V3", in: moved, to: repository)
    }
    func stay() throws {
      // Git looks for moved folders where files were added to them.
      try repository.write("", to: "App/Order.swift")
      try add([Self.a, Self.note(contradiction[1]), Self.c], as: "V3", to: repository)
    }
    try repository.git("checkout", "-q", "-b", "topic")
    try isOurs ? stay() : move()
    try repository.git("checkout", "-q", "main")
    try isOurs ? move() : stay()
    let outcome = try repository.attempt(["merge", "topic", "-m", "merged"])
    #expect(outcome.status == (conflicts ? 1 : 0), "\(outcome.text)")
    guard conflicts else {
      let text = try dump(repository, moved)
      #expect(text.contains(" b ") && text.contains(" c "), "\(text)")
      // It was removed by the side that moved the bundle.
      #expect(!text.contains(" a "), "\(text)")
      return
    }
    let (mine, yours) = isOurs ? (" b ", " c ") : (" c ", " b ")
    #expect(try dump(repository, "git:1:\(moved)").contains(" a "))
    #expect(try dump(repository, "git:2:\(moved)").contains(mine))
    #expect(try dump(repository, "git:3:\(moved)").contains(yours))
    #expect(try renumber(repository, moved).errors.contains("theirs' version V3 is now V4"))
  }

  /// Both sides renamed a version, so that none removed it.
  @Test func renamedVersionsAreNotExplainedAsRemoved() throws {
    let repository = try repository()
    func rename(_ name: String) throws {
      try repository.git(
        "mv", "\(Self.bundle)/V1.xcdatamodel", "\(Self.bundle)/\(name).xcdatamodel")
      try repository.commit(name)
    }
    try repository.git("checkout", "-q", "-b", "topic")
    try rename("Shop 1")
    try repository.git("checkout", "-q", "main")
    try rename("Store 1")
    #expect(try repository.attempt(["merge", "topic"]).status == 1)
    let explained = try Tool.run("merge", "--explain", in: repository.folder)
    #expect(explained.status == 1)
    #expect(explained.text.contains("neither side has it under this path"), "\(explained.text)")
    for side in ["ours", "theirs"] {
      #expect(explained.text.contains("only \(side) has it under this path"), "\(explained.text)")
    }
    #expect(!explained.text.contains("changed it"), "\(explained.text)")
  }
}
