import Testing

/// A few thousand damaged files, passed to every reader in a separate process, so that a trap can be distinguished
/// from a failed test. `Tools/mutate` tests any number.
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
