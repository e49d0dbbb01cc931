import Foundation
import TestSupport
import Testing

/// Models in a real git repository, merged by git with momtool.
@Suite struct GitMergeTests {
  static let bundle = "App/Shop.xcdatamodeld"

  private static func source(_ version: String) -> String {
    "\(bundle)/\(version).xcdatamodel/contents"
  }

  private let number = OrderSource.attribute("number", "Integer 64")

  /// A repository with one version, configured for momtool.
  private func repository() throws -> TemporaryRepository {
    let repository = try TemporaryRepository()
    let setup = try Tool.run("git-setup", "--command", Tool.url.path, in: repository.folder)
    try #require(setup.status == 0, "\(setup.errors)")
    try repository.write(OrderSource.contents([number]), to: Self.source("V1"))
    try repository.write(OrderSource.pointer("V1"), to: "\(Self.bundle)/.xccurrentversion")
    try repository.commit("base")
    return repository
  }

  /// Makes a change in each of two branches, and merges the second into the first.
  private func merge(
    _ repository: TemporaryRepository, ours: () throws -> Void, theirs: () throws -> Void
  ) throws -> TemporaryRepository.Outcome {
    try repository.git("checkout", "-q", "-b", "topic")
    try theirs()
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "main")
    try ours()
    try repository.commit("ours")
    return try repository.attempt(["merge", "topic", "-m", "merged"])
  }

  private func dump(_ repository: TemporaryRepository, _ input: String) throws -> String {
    let outcome = try Tool.run("dump", input, in: repository.folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.text
  }

  @Test func editsOfOneModelMerge() throws {
    let repository = try repository()
    let outcome = try merge(
      repository,
      ours: {
        try repository.write(
          OrderSource.contents([number, OrderSource.attribute("a")]), to: Self.source("V1"))
      },
      theirs: {
        try repository.write(
          OrderSource.contents([
            OrderSource.attribute("number", "Integer 64", optional: false),
            OrderSource.attribute("b", "Date"),
          ]), to: Self.source("V1"))
      })
    #expect(outcome.status == 0, "\(outcome.text)")
    let text = try repository.text(of: Self.source("V1"))
    // Unchanged lines stay exactly as they were.
    #expect(text.contains("        \(OrderSource.attribute("a"))\n"))
    #expect(text.contains(OrderSource.attribute("number", "Integer 64", optional: false)))
    #expect(text.contains("        \(OrderSource.attribute("b", "Date"))\n"))
  }

  /// What isn't a model's source, where attributes name the driver for it, merges as git merges it.
  @Test func otherFilesMergeAsText() throws {
    let repository = try repository()
    let notes = "\(Self.bundle)/notes.txt"
    try repository.write("\(Self.bundle)/** merge=momtool\n", to: ".gitattributes")
    try repository.write("one\ntwo\nthree\nfour\nfive\n", to: notes)
    try repository.write("same\n", to: "\(Self.bundle)/other.txt")
    try repository.commit("notes")
    let outcome = try merge(
      repository,
      ours: {
        try repository.write("1\ntwo\nthree\nfour\nfive\n", to: notes)
        try repository.write("ours\n", to: "\(Self.bundle)/other.txt")
      },
      theirs: {
        try repository.write("one\ntwo\nthree\nfour\n5\n", to: notes)
        try repository.write("theirs\n", to: "\(Self.bundle)/other.txt")
      })
    #expect(outcome.status == 1, "\(outcome.text)")
    #expect(try repository.text(of: notes) == "1\ntwo\nthree\nfour\n5\n")
    let other = try repository.text(of: "\(Self.bundle)/other.txt")
    #expect(other.contains("<<<<<<<") && other.contains("theirs\n"), "\(other)")
  }

  @Test func versionsAddedOnBothSidesMergeOntoTheirPredecessor() throws {
    let repository = try repository()
    func add(_ attributes: [String]) throws {
      try repository.write(OrderSource.contents(attributes), to: Self.source("V2"))
      try repository.write(OrderSource.pointer("V2"), to: "\(Self.bundle)/.xccurrentversion")
    }
    let outcome = try merge(
      repository, ours: { try add([number, OrderSource.attribute("a")]) },
      // Theirs removes an element of V1, which only a common base can reveal.
      theirs: { try add([OrderSource.attribute("b")]) })
    #expect(outcome.status == 0, "\(outcome.text)")
    #expect(outcome.text.contains("both sides added this version"))
    let text = try dump(repository, Self.bundle)
    #expect(text.contains("V2"))
    #expect(text.contains(" a ") && text.contains(" b "))
    #expect(!text.contains(" number "))
    let hashes = try Tool.run("hashes", Self.bundle, in: repository.folder)
    #expect(hashes.status == 0)
  }

  /// Ways to apply a commit of another branch, for which git doesn't name that branch to the driver.
  enum Application: CaseIterable {
    case rebase, rebaseOfPatches, cherryPick, cherryPickOfSeveral, stash

    /// The attempt to apply the commits of the branch `topic` to `main`, or of `main` to `topic` in a rebase.
    func attempt(in repository: TemporaryRepository) throws -> TemporaryRepository.Outcome {
      switch self {
      case .rebase: return try repository.attempt(["rebase", "main", "topic"])
      case .rebaseOfPatches: return try repository.attempt(["rebase", "--apply", "main", "topic"])
      case .cherryPick: return try repository.attempt(["cherry-pick", "topic~1"])
      case .cherryPickOfSeveral: return try repository.attempt(["cherry-pick", "main..topic"])
      case .stash:
        try repository.git("checkout", "-q", "topic~1")
        try repository.git("reset", "-q", "--soft", "HEAD~1")
        try repository.git("stash")
        try repository.git("checkout", "-q", "main")
        return try repository.attempt(["stash", "pop"])
      }
    }
  }

  /// A topic that adds the same version as the main branch, between two other commits; each removes an attribute of V1.
  private func diverged() throws -> TemporaryRepository {
    let repository = try repository()
    func add(_ attributes: [String]) throws {
      try repository.write(OrderSource.contents(attributes), to: Self.source("V2"))
      try repository.write(OrderSource.pointer("V2"), to: "\(Self.bundle)/.xccurrentversion")
    }
    let kept = OrderSource.attribute("kept")
    try repository.write(OrderSource.contents([number, kept]), to: Self.source("V1"))
    try repository.commit("two attributes")
    try repository.git("checkout", "-q", "-b", "topic")
    try repository.write("one", to: "one.txt")
    try repository.commit("before")
    try add([number, OrderSource.attribute("b")])
    try repository.commit("theirs")
    try repository.write("two", to: "two.txt")
    try repository.commit("after")
    try repository.git("checkout", "-q", "main")
    try add([kept, OrderSource.attribute("a")])
    try repository.commit("ours")
    return repository
  }

  @Test(arguments: Application.allCases)
  func versionsOfAppliedCommitsMergeOntoTheirPredecessor(application: Application) throws {
    let repository = try diverged()
    let outcome = try application.attempt(in: repository)
    #expect(outcome.status == 0, "\(outcome.text)")
    let text = try dump(repository, "\(Self.bundle)@V2")
    #expect(text.contains(" a ") && text.contains(" b "))
    // What either side removed doesn't come back.
    #expect(!text.contains(" number ") && !text.contains(" kept "), "\(text)")
  }

  /// A commit of a branch that was deleted: what one side alone has, the other may have removed.
  @Test func versionsWithoutAKnownPredecessorConflict() throws {
    let repository = try diverged()
    let commit = try repository.git("rev-parse", "topic~1")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    try repository.git("branch", "-q", "-D", "topic")
    let outcome = try repository.attempt(["cherry-pick", commit])
    #expect(outcome.status == 1, "\(outcome.text)")
    #expect(outcome.text.contains("git doesn't say which version both were made from"))
    let text = try repository.text(of: Self.source("V2"))
    for part in ["<<<<<<<", "\"a\"", "\"b\"", "\"kept\"", "\"number\""] {
      #expect(text.contains(part), "\(part)")
    }
    // Stopped, git names the commit.
    let explained = try Tool.run("merge", "--explain", in: repository.folder)
    #expect(explained.status == 1)
    #expect(
      explained.text.contains("it can be merged") || explained.text.contains("both sides added"))
  }

  @Test func aContradictionStopsTheMergeByName() throws {
    let repository = try repository()
    func add(_ type: String) throws {
      try repository.write(
        OrderSource.contents([number, OrderSource.attribute("a", type)]), to: Self.source("V1"))
    }
    let outcome = try merge(repository, ours: { try add("String") }, theirs: { try add("Date") })
    #expect(outcome.status == 1)
    #expect(outcome.text.contains("Order.a: type: both added it: ours says String, theirs Date"))
    #expect(try repository.git("status", "--short").contains("AA") == false)
    #expect(try repository.git("status", "--short").contains("UU"))
    // git's markers are exactly where the sides differ.
    let lines = try repository.text(of: Self.source("V1")).split(separator: "\n").map(String.init)
    let begin = try #require(lines.firstIndex(of: "<<<<<<< ours"))
    #expect(lines[begin + 1].contains("attributeType=\"String\""))
    #expect(lines[(begin + 2)...].prefix(3).map { $0.prefix(7) }.first == "=======")
    #expect(lines[begin + 3].contains("attributeType=\"Date\""))
    #expect(lines[begin + 4] == ">>>>>>> theirs")
    // The conflicts can be listed again, and each side can be read.
    let explained = try Tool.run("merge", "--explain", in: repository.folder)
    #expect(explained.status == 1)
    #expect(explained.text.contains("Order.a: type: both added it: ours says String, theirs Date"))
    let here = try Tool.run("merge", "--explain", "App", in: repository.folder)
    #expect(here.text == explained.text)
    for (stage, type) in [("2", "String"), (":3", "Date")] {
      #expect(try dump(repository, "git:\(stage):\(Self.source("V1"))").contains(type))
      #expect(try dump(repository, "git:\(stage):\(Self.bundle)").contains(type))
    }
    try repository.git("checkout", "--theirs", Self.source("V1"))
    try repository.git("add", "-A")
    let settled = try Tool.run("merge", "--explain", in: repository.folder)
    #expect(settled.text == "there are no unmerged models\n" && settled.status == 0)
  }

  @Test func whatNoLineShowsIsMarkedToo() throws {
    let repository = try repository()
    let outcome = try merge(
      repository,
      ours: {
        try repository.write(
          OrderSource.contents([OrderSource.attribute("number", "Date")]), to: Self.source("V1"))
      },
      theirs: {
        let bounded = OrderSource.attribute("number", "Integer 64")
          .replacingOccurrences(of: "/>", with: " minValueString=\"1\"/>")
        try repository.write(OrderSource.contents([bounded]), to: Self.source("V1"))
      })
    #expect(outcome.status == 1)
    #expect(outcome.text.contains("ours made it Date"))
    #expect(try repository.text(of: Self.source("V1")).contains("<<<<<<< ours\n"))
  }

  /// A file that can't be compiled is left to git to merge, and no side of it is lost.
  @Test func unreadableSidesMergeAsText() throws {
    for isNear in [false, true] {
      let repository = try repository()
      let attributes = (1...9).map { OrderSource.attribute("a\($0)", "No Such Type") }
      let contents = OrderSource.contents(attributes)
      try repository.write(contents, to: Self.source("V1"))
      try repository.commit("a type that nobody knows")
      func replace(_ name: String, by other: String) throws {
        try repository.write(
          contents.replacingOccurrences(of: "\"\(name)\"", with: "\"\(other)\""),
          to: Self.source("V1"))
      }
      let outcome = try merge(
        repository, ours: { try replace("a1", by: "b1") },
        theirs: { try replace(isNear ? "a1" : "a9", by: "b9") })
      #expect(outcome.status == (isNear ? 1 : 0), "\(outcome.text)")
      #expect(outcome.text.contains("merged as text"))
      let text = try repository.text(of: Self.source("V1"))
      #expect(text.contains("\"b1\"") && text.contains("\"b9\""))
      #expect(text.contains("<<<<<<<") == isNear)
    }
  }

  /// Data that only the editor uses is kept from both sides, without conflicts.
  @Test func layoutsAndNewEntitiesOfBothSidesStay() throws {
    func contents(_ entities: [String], width: Int = 128, tools: Int = 22000) -> String {
      let bodies = entities.map { "    <entity name=\"\($0)\" syncable=\"YES\"/>\n" }.joined()
      let places = entities.map {
        "        <element name=\"\($0)\" positionX=\"0\" positionY=\"0\" width=\"\(width)\" height=\"44\"/>\n"
      }.joined()
      return """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
        lastSavedToolsVersion="\(tools)" systemVersion="23F79" minimumToolsVersion="Automatic" \
        sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
        \(bodies)    <elements>
        \(places)    </elements>
        </model>
        """
    }
    let repository = try repository()
    try repository.write(contents(["M"]), to: Self.source("V1"))
    try repository.commit("a layout")
    let outcome = try merge(
      repository, ours: { try repository.write(contents(["A", "M"]), to: Self.source("V1")) },
      theirs: {
        try repository.write(contents(["M", "Z"], width: 256, tools: 23000), to: Self.source("V1"))
      })
    #expect(outcome.status == 0, "\(outcome.text)")
    let text = try repository.text(of: Self.source("V1"))
    for name in ["A", "M", "Z"] { #expect(text.contains("<element name=\"\(name)\"")) }
    #expect(text.contains("<element name=\"M\" positionX=\"0\" positionY=\"0\" width=\"256\""))
    #expect(text.contains("lastSavedToolsVersion=\"23000\""))
  }

  @Test func theLaterOfTwoCurrentVersionsIsTaken() throws {
    let repository = try repository()
    func add(_ version: String) throws {
      try repository.write(OrderSource.contents([number]), to: Self.source(version))
      try repository.write(OrderSource.pointer(version), to: "\(Self.bundle)/.xccurrentversion")
    }
    let outcome = try merge(repository, ours: { try add("V2") }, theirs: { try add("V3") })
    #expect(outcome.status == 0, "\(outcome.text)")
    #expect(outcome.text.contains("ours made V2 the current version, theirs V3: V3 is used"))
    #expect(try repository.text(of: "\(Self.bundle)/.xccurrentversion").contains("V3.xcdatamodel"))
  }

  @Test func renumberingPutsTheirsOnTopOfOurs() throws {
    let repository = try repository()
    func add(_ attributes: [String]) throws {
      try repository.write(OrderSource.contents(attributes), to: Self.source("V2"))
      try repository.write(OrderSource.pointer("V2"), to: "\(Self.bundle)/.xccurrentversion")
    }
    try repository.git("checkout", "-q", "-b", "topic")
    try add([number, OrderSource.attribute("b")])
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "main")
    try add([number, OrderSource.attribute("a")])
    let arguments = [
      "merge", "--base", "git:main:\(Self.bundle)", "--ours", Self.bundle, "--theirs",
      "git:topic:\(Self.bundle)", "-o", Self.bundle,
    ]
    let refused = try Tool.run(arguments: arguments, in: repository.folder)
    #expect(refused.status == 1)
    #expect(refused.text.contains("both sides added a version: ours V2, theirs V2"))
    #expect(try repository.text(of: Self.source("V2")).contains("name=\"b\"") == false)

    let merged = try Tool.run(arguments: arguments + ["--renumber"], in: repository.folder)
    #expect(merged.status == 0, "\(merged.errors)\(merged.text)")
    #expect(try repository.text(of: "\(Self.bundle)/.xccurrentversion").contains("V3.xcdatamodel"))
    let ours = OrderSource.contents([number, OrderSource.attribute("a")])
    #expect(try repository.text(of: Self.source("V2")) == ours)
    let text = try dump(repository, Self.bundle)
    #expect(text.contains(" a ") && text.contains(" b "))
    let guarded = try Tool.run("guard", "--against", "main", in: repository.folder)
    #expect(guarded.status == 0, "\(guarded.text)")
  }

  /// The advice of a merge in which both sides added a version of the same name, followed before it is finished.
  @Test func anUnfinishedMergeIsRenumbered() throws {
    let repository = try repository()
    func add(_ type: String) throws {
      try repository.write(
        OrderSource.contents([number, OrderSource.attribute("note", type)]), to: Self.source("V2"))
      try repository.write(OrderSource.pointer("V2"), to: "\(Self.bundle)/.xccurrentversion")
    }
    let outcome = try merge(repository, ours: { try add("Date") }, theirs: { try add("UUID") })
    #expect(outcome.status == 1)
    let sides = ["--base", "git:1:", "--ours", "git:2:", "--theirs", "git:3:"]
      .map { $0.hasPrefix("git") ? $0 + Self.bundle : $0 }
    #expect(
      outcome.text.contains(
        "momtool merge \(sides.joined(separator: " ")) --renumber -o \(Self.bundle)"),
      "\(outcome.text)")
    let run = try Tool.run(
      arguments: ["merge"] + sides + ["--renumber", "-o", Self.bundle], in: repository.folder)
    #expect(run.status == 0 || run.status == 1, "\(run.errors)")
    #expect(run.errors.contains("version V2 is now V3"), "\(run.errors)")
  }

  @Test func keptConflictsAreListed() throws {
    let repository = try repository()
    for (name, type) in [("ours", "String"), ("theirs", "Date")] {
      try repository.write(
        OrderSource.contents([number, OrderSource.attribute("a", type)]),
        to: "\(name).xcdatamodel/contents")
    }
    let arguments = [
      "merge", "--base", "git:main:\(Self.bundle)@V1", "--ours", "ours.xcdatamodel", "--theirs",
      "theirs.xcdatamodel", "-o", "out.xcdatamodel", "--keep-conflicts",
    ]
    let outcome = try Tool.run(arguments: arguments, in: repository.folder)
    #expect(outcome.status == 1, "\(outcome.errors)")
    let json = try JSONSerialization.jsonObject(
      with: Data(repository.text(of: "out.xcdatamodel/conflicts.json").utf8))
    let conflicts = (json as? [String: Any])?["conflicts"] as? [[String: Any]]
    #expect(conflicts?.count == 1)
    #expect(conflicts?.first?["kind"] as? String == "addedDifferently")
    #expect(try dump(repository, "out.xcdatamodel").contains("String"))
  }

  @Test func gitShowsModelsAsText() throws {
    let repository = try repository()
    try repository.write(
      OrderSource.contents([number, OrderSource.attribute("total", "Decimal")]),
      to: Self.source("V1"))
    let text = try repository.git("diff")
    // The first line has no path, since git's are temporary and differ.
    #expect(!text.contains("-model") && !text.contains("+model"))
    let added = text.split(separator: "\n").filter { $0.hasPrefix("+ ") }
    #expect(added.contains { $0.contains("total") && $0.contains("Decimal") })
    #expect(!text.contains("<attribute"))
  }

  /// Two branches merged two others, and then one of them undid what one of these had done: that isn't done again.
  @Test func whatIsUndoneAfterCrossingMergesStaysSo() throws {
    let repository = try repository()
    func write(_ attributes: String...) throws {
      try repository.write(OrderSource.contents(attributes), to: Self.source("V1"))
      try repository.commit("edit")
    }
    let (changed, added) = (
      OrderSource.attribute("number", "Integer 32"), OrderSource.attribute("a")
    )
    try repository.git("checkout", "-q", "-b", "one")
    try write(changed)
    try repository.git("checkout", "-q", "-b", "two", "main")
    try write(number, added)
    try repository.git("checkout", "-q", "-b", "mine", "one")
    try repository.git("merge", "-q", "two", "-m", "crossing")
    try repository.git("checkout", "-q", "-b", "yours", "two")
    try repository.git("merge", "-q", "one", "-m", "crossing")
    try write(changed, added, OrderSource.attribute("b"))
    try repository.git("checkout", "-q", "mine")
    try write(number, added)
    let outcome = try repository.attempt(["merge", "yours", "-m", "met"])
    #expect(outcome.status == 0, "\(outcome.text)")
    let text = try repository.text(of: Self.source("V1"))
    #expect(text.contains(number) && text.contains("\"b\""), "\(text)")
  }

  /// Two branches merged each other and resolved the same conflict differently. Their base has git's markers.
  @Test(arguments: ["a", "b"]) func resolutionsOfBothSidesConflict(branch: String) throws {
    let repository = try repository()
    let types = ["a": "Integer 16", "b": "Integer 32"]
    let source = Self.source("V1")
    func text(_ name: String) throws -> String {
      OrderSource.contents([OrderSource.attribute("number", try #require(types[name]))])
    }
    for name in ["a", "b"] {
      try repository.git("checkout", "-q", "-b", name, "main")
      try repository.write(try text(name), to: source)
      try repository.commit(name)
    }
    for (name, other) in [("a", "b"), ("b", "a~1")] {
      try repository.git("checkout", "-q", name)
      #expect(try repository.attempt(["merge", other]).status != 0)
      try repository.write(try text(name), to: source)
      try repository.commit("keeps its own")
    }
    try repository.git("checkout", "-q", branch)
    let outcome = try repository.attempt(["merge", branch == "a" ? "b" : "a", "-m", "met"])
    #expect(outcome.status == 1, "\(outcome.text)")
    let merged = try repository.text(of: source)
    #expect(merged.contains("<<<<<<<") && merged.contains("Integer 16"), "\(merged)")
    #expect(merged.contains("Integer 32"), "\(merged)")
  }

  @Test func setupIsPrintedAndUndone() throws {
    let repository = try TemporaryRepository()
    try repository.write("*.png binary\n", to: ".gitattributes")
    let first = try Tool.run("git-setup", "--command", "momtool", in: repository.folder)
    #expect(first.text.contains("merge.momtool.driver = f() { momtool merge --git-driver"))
    let attributes = try repository.text(of: ".gitattributes")
    #expect(attributes.hasPrefix("*.png binary\n"))
    #expect(attributes.contains("**/*.xcdatamodel/contents diff=momtool merge=momtool\n"))
    _ = try Tool.run("git-setup", "--command", "momtool", in: repository.folder)
    #expect(try repository.text(of: ".gitattributes") == attributes)
    let undone = try Tool.run("git-setup", "--undo", in: repository.folder)
    #expect(undone.text.contains("removed section merge.momtool"))
    #expect(try repository.text(of: ".gitattributes") == "*.png binary\n")
    #expect(try repository.attempt(["config", "--get", "merge.momtool.driver"]).status == 1)
    let again = try Tool.run("git-setup", "--undo", in: repository.folder)
    #expect(again.text == "nothing was set up\n")
  }
}
