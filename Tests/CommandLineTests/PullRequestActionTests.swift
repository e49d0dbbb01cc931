import Foundation
import TestSupport
import Testing

/// The script of `Tools/action`, which checks models in pull requests.
@Suite struct PullRequestActionTests {
  private static let bundle = "My App/Shop.xcdatamodeld"
  private static let number = OrderSource.attribute("number", "Integer 64")

  /// A repository with a released bundle of two versions.
  private func released() throws -> TemporaryRepository {
    let repository = try TemporaryRepository()
    let name = OrderSource.attribute("name")
    for (version, attributes) in [("V1", [Self.number]), ("V2", [Self.number, name])] {
      try repository.write(
        OrderSource.contents(attributes), to: "\(Self.bundle)/\(version).xcdatamodel/contents")
    }
    try repository.write(OrderSource.pointer("V2"), to: "\(Self.bundle)/.xccurrentversion")
    try repository.git("add", ".")
    try repository.git("commit", "-q", "-m", "released")
    return repository
  }

  /// Returns the check's output and its addition to the summary.
  private func check(
    _ repository: TemporaryRepository, _ environment: [String: String] = [:]
  ) throws -> (status: Int32, text: String, summary: String) {
    let summary = repository.folder.appendingPathComponent(".git/summary.md")
    let path = "\(Tool.url.deletingLastPathComponent().path):\(Tool.base["PATH"] ?? "")"
    let given = ["PATH": path, "AGAINST": "HEAD", "GITHUB_STEP_SUMMARY": summary.path]
    let outcome = try Tool.run(
      script: Corpus.packageRoot.appendingPathComponent("Tools/action/check"),
      environment: given.merging(environment) { $1 }, in: repository.folder)
    return (outcome.status, outcome.text, (try? String(contentsOf: summary, encoding: .utf8)) ?? "")
  }

  @Test func aPullRequestThatChangesNothingPasses() throws {
    let result = try check(try released())
    #expect(result.status == 0)
    #expect(!result.text.contains("::error"))
    #expect(result.summary.contains("V1 → V2"))
  }

  @Test func aChangedReleasedVersionIsAnnotated() throws {
    let repository = try released()
    try repository.write(
      OrderSource.contents([]), to: "\(Self.bundle)/V1.xcdatamodel/contents")
    let result = try check(repository)
    #expect(result.status == 1)
    #expect(result.text.contains("::error file=\(Self.bundle)/V1.xcdatamodel/contents"))
  }

  @Test func migrationsThatAreNotPossibleFail() throws {
    let repository = try released()
    try repository.write(
      OrderSource.contents([OrderSource.attribute("number", "Binary")]),
      to: "\(Self.bundle)/V3.xcdatamodel/contents")
    try repository.write(OrderSource.pointer("V3"), to: "\(Self.bundle)/.xccurrentversion")
    let result = try check(repository)
    #expect(result.status == 1)
    #expect(result.text.contains("::error file=\(Self.bundle)::"))
    #expect(result.summary.contains("V1"))
    let elsewhere = try check(repository, ["PATHS": "Other\n"])
    #expect(elsewhere.status != 0)
  }

  @Test func warningsCountWhereTheyAreToCount() throws {
    let repository = try released()
    try repository.write(
      OrderSource.contents([Self.number], more: "    <unknown/>\n"),
      to: "\(Self.bundle)/V3.xcdatamodel/contents")
    try repository.write(OrderSource.pointer("V3"), to: "\(Self.bundle)/.xccurrentversion")
    #expect(try check(repository).status == 0)
    #expect(try check(repository, ["STRICT": "true"]).status == 1)
  }
}
