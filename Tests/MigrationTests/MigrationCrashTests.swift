import Foundation
import TestSupport
import Testing

/// Processes that are killed while they migrate; `Tools/Crash/Migration` runs as many as one likes.
@Suite struct MigrationCrashTests {
  @Test(arguments: [("inplace", 14), ("staged", 6)])
  func killedMigrationsLoseNothing(kind: String, kills: Int) throws {
    let folder = try TemporaryFolder()
    let bundle = Bundle.main.executableURL ?? Corpus.packageRoot.appendingPathComponent(".build")
    let beside = bundle.deletingLastPathComponent().appendingPathComponent("MigrationCrash")
    let process = Process()
    process.executableURL =
      FileManager.default.isExecutableFile(atPath: beside.path)
      ? beside : Corpus.packageRoot.appendingPathComponent(".build/debug/MigrationCrash")
    process.arguments = ["run", "\(kills)", kind, folder.file("run").path]
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let problems = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(problems)")
    #expect(text.hasPrefix("\(kills) kills"), "\(text)")
  }
}
