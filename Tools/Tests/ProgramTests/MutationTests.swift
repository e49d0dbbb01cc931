import Testing

/// A few thousand damaged files, given to every reader in a process of its own, so that a trap is told from a
/// failed test. `Tools/mutate` tries as many as one likes.
@Suite struct MutationTests {
  @Test func mutationsEndNoReader() throws {
    let run = try Program.run(
      "mutator",
      [
        "2500", "--milliseconds", "20000",
        Program.packageRoot.appendingPathComponent("TestArchives").path,
      ])
    #expect(run.status == 0, "\(run.text)")
    #expect(run.text.contains("failures: 0"))
  }
}
