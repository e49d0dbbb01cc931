import Testing

/// Kills processes that migrate; `Tools/Crash/Migration` runs any number of them.
@Suite struct MigrationCrashTests {
  @Test(arguments: [("inplace", 14), ("staged", 6)])
  func killedMigrationsLoseNothing(kind: String, kills: Int) throws {
    let folder = try TemporaryFolder()
    let run = try Program.run(
      "MigrationCrash", ["run", "\(kills)", kind, folder.file("run").path])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.hasPrefix("\(kills) kills"), "\(run.text)")
  }
}
