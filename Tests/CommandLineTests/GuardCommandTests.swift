import Foundation
import TestSupport
import Testing

/// A change to a bundle after its release, and the expected findings.
struct GuardCase: Sendable, CustomTestStringConvertible {
  let name: String
  let arguments: [String]
  /// The rules expected to be violated; empty for a clean case.
  let rules: [String]
  let tamper: @Sendable (TemporaryRepository) throws -> Void
  var testDescription: String { name }

  init(
    _ name: String, _ rules: [String] = [], _ arguments: [String] = [],
    _ tamper: @escaping @Sendable (TemporaryRepository) throws -> Void
  ) {
    self.name = name
    self.rules = rules
    self.arguments = arguments
    self.tamper = tamper
  }
}

@Suite struct GuardCommandTests {
  static let bundle = "App/Shop.xcdatamodeld"
  static let number = OrderSource.attribute("number", "Integer 64")
  static let name = OrderSource.attribute(
    "name", optional: false, more: " defaultValueString=\"x\"")

  static func source(_ version: String) -> String {
    "\(bundle)/\(version).xcdatamodel/contents"
  }

  private static func write(
    _ version: String, _ attributes: [String], more: String = ""
  ) -> @Sendable (TemporaryRepository) throws -> Void {
    { try $0.write(OrderSource.contents(attributes, more: more), to: source(version)) }
  }

  private static func point(_ version: String) -> @Sendable (TemporaryRepository) throws -> Void {
    { try $0.write(OrderSource.pointer(version), to: "\(bundle)/.xccurrentversion") }
  }

  static let tampered: [GuardCase] = [
    GuardCase("attribute removed", ["version-changed"], [], write("V1", [])),
    GuardCase("attribute added", ["version-changed"], [], write("V1", [number, name])),
    GuardCase(
      "type changed", ["version-changed"], [],
      write("V2", [OrderSource.attribute("number", "Integer 32"), name])),
    GuardCase(
      "optional changed", ["version-changed"], [],
      write("V2", [OrderSource.attribute("number", "Integer 64", optional: false), name])),
    GuardCase(
      "entity added", ["version-changed"], [],
      write("V1", [number], more: "    <entity name=\"New\"/>\n")),
    GuardCase("version removed", ["version-removed"]) {
      try FileManager.default.removeItem(
        at: $0.folder.appendingPathComponent("\(bundle)/V1.xcdatamodel"))
    },
    GuardCase(
      "version renamed",
      ["version-renamed", "new-version-not-current"].filter { $0 == "version-renamed" }
    ) {
      try FileManager.default.moveItem(
        at: $0.folder.appendingPathComponent("\(bundle)/V1.xcdatamodel"),
        to: $0.folder.appendingPathComponent("\(bundle)/V0.xcdatamodel"))
    },
    GuardCase("current moved back", ["current-moved-back"], [], point("V1")),
    GuardCase("new version not current", ["new-version-not-current"], [], write("V3", [number])),
    GuardCase("pointer removed", ["no-current-version"]) {
      try FileManager.default.removeItem(
        at: $0.folder.appendingPathComponent("\(bundle)/.xccurrentversion"))
    },
    GuardCase("bundle removed", ["bundle-removed"]) {
      try FileManager.default.removeItem(at: $0.folder.appendingPathComponent(bundle))
    },
    GuardCase(
      "default changed, strictly", ["version-changed"], ["--strict"],
      write(
        "V2",
        [
          number, OrderSource.attribute("name", optional: false, more: " defaultValueString=\"y\""),
        ])),
  ]

  static let clean: [GuardCase] = [
    GuardCase("nothing done") { _ in },
    GuardCase("nothing done, strictly", [], ["--strict"]) { _ in },
    GuardCase("new version made current") {
      try write("V3", [number])($0)
      try point("V3")($0)
    },
    GuardCase("two new versions") {
      try write("V3", [number])($0)
      try write("V10", [name])($0)
      try point("V10")($0)
    },
    GuardCase(
      "default changed", [], [],
      write(
        "V2",
        [
          number, OrderSource.attribute("name", optional: false, more: " defaultValueString=\"y\""),
        ])),
    GuardCase("attributes in another order", [], ["--strict"], write("V2", [name, number])),
    GuardCase("formatted differently", [], ["--strict"]) {
      let text = try $0.text(of: source("V2"))
      try $0.write(text.replacingOccurrences(of: "        <", with: "\t<"), to: source("V2"))
    },
    GuardCase(
      "layout added", [], ["--strict"],
      write(
        "V2", [number, name],
        more: "    <elements>\n        <element name=\"Order\" positionX=\"0\" positionY=\"0\""
          + " width=\"128\" height=\"58\"/>\n    </elements>\n")),
    GuardCase("another bundle added") {
      try $0.write(OrderSource.contents([name]), to: "B.xcdatamodeld/B.xcdatamodel/contents")
    },
    GuardCase(
      "user info added", [], [],
      write(
        "V2", [number, name],
        more:
          "    <fetchRequest name=\"All\" entity=\"Order\" predicateString=\"TRUEPREDICATE\"/>\n")),
    GuardCase("another file changed") { try $0.write("text", to: "README.md") },
    GuardCase("compared with a folder", [], []) { _ in },
  ]

  private func released() throws -> TemporaryRepository {
    let repository = try TemporaryRepository()
    try repository.write(OrderSource.contents([Self.number]), to: Self.source("V1"))
    try repository.write(OrderSource.contents([Self.number, Self.name]), to: Self.source("V2"))
    try repository.write(OrderSource.pointer("V2"), to: "\(Self.bundle)/.xccurrentversion")
    try repository.commit("released")
    try repository.git("tag", "v1.0")
    return repository
  }

  @Test(arguments: tampered + clean) func findsWhatMustNotHappen(_ example: GuardCase) throws {
    let repository = try released()
    try example.tamper(repository)
    let outcome = try Tool.run(
      arguments: ["guard", "--against", "v1.0", "--format", "json"] + example.arguments,
      in: repository.folder)
    #expect(outcome.status == (example.rules.isEmpty ? 0 : 1), "\(outcome.errors)\(outcome.text)")
    let json = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
    let report = json?["report"] as? [String: Any]
    let bundles = report?["bundles"] as? [[String: Any]] ?? []
    let kinds = bundles.flatMap { $0["findings"] as? [[String: Any]] ?? [] }
      .compactMap { $0["kind"] as? String }
    #expect(Set(kinds) == Set(example.rules), "\(outcome.text)")
  }

  @Test func saysWhichEntityAndProperty() throws {
    let repository = try released()
    try Self.write("V2", [OrderSource.attribute("number", "Integer 32"), Self.name])(repository)
    let place = "\(Self.bundle)/V2.xcdatamodel/contents"
    let text = try Tool.run("guard", "--against", "v1.0", in: repository.folder)
    #expect(
      text.text == "\(place): error: the released version V2 was changed: Order.number: type was"
        + " Integer 64, is Integer 32 [version-changed]\n")
    let notes = try Tool.run(
      "guard", "--against", "v1.0", "--format", "github", in: repository.folder)
    #expect(notes.text.hasPrefix("::error file=\(place),line=3,title=momtool guard::the released"))
  }

  @Test func comparesWithEveryBundleOfAFolder() throws {
    let repository = try released()
    let folder = repository.folder
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("released"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: folder.appendingPathComponent("App"), to: folder.appendingPathComponent("released/App"))
    let clean = try Tool.run("guard", "--against", "released", in: folder)
    #expect(clean.status == 0, "\(clean.errors)")
    try FileManager.default.removeItem(at: folder.appendingPathComponent(Self.bundle))
    let gone = try Tool.run("guard", "--against", "released", in: folder)
    #expect(gone.status == 1)
    #expect(gone.text.contains("[bundle-removed]"))
    try FileManager.default.removeItem(at: folder.appendingPathComponent("released/App"))
    let none = try Tool.run("guard", "--against", "released", in: folder)
    #expect(none.status == 2)
    #expect(
      none.errors.contains("the release contains neither an .xcdatamodeld nor a frozen schema"))
  }

  @Test func comparesWithAFolder() throws {
    let repository = try released()
    let copy = repository.folder.appendingPathComponent("released")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: repository.folder.appendingPathComponent(Self.bundle),
      to: copy.appendingPathComponent("Shop.xcdatamodeld"))
    let clean = try Tool.run("guard", "--against", "released", Self.bundle, in: repository.folder)
    #expect(clean.status == 0, "\(clean.errors)")
    try Self.write("V1", [])(repository)
    let found = try Tool.run("guard", "--against", "released", Self.bundle, in: repository.folder)
    #expect(found.status == 1)
    #expect(found.text.contains("[version-changed]"))
  }

  @Test func refusesWhatItCannotCompare() throws {
    let repository = try released()
    let unknown = try Tool.run("guard", "--against", "v9", in: repository.folder)
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("there is no commit 'v9'"))
    let missing = try Tool.run(
      "guard", "--against", "v1.0", "Gone.xcdatamodeld", in: repository.folder)
    #expect(missing.status == 2)
    #expect(missing.errors.contains("Gone.xcdatamodeld"))
    try repository.write("<model><entity", to: Self.source("V2"))
    let corrupt = try Tool.run("guard", "--against", "v1.0", in: repository.folder)
    #expect(corrupt.status == 2)
    #expect(corrupt.errors.contains("V2.xcdatamodel/contents"))
    try Tool.withTemporaryFolder { folder in
      let none = try Tool.run("guard", "--against", "v1.0", in: folder)
      #expect(none.status == 2)
      #expect(none.errors.contains("not in the working tree of a git repository"))
    }
  }
}
