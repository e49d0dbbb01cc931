import Foundation
import Testing

/// Short runs of Tools/Crash/Saving; `Tools/crash` has the long ones.
@Suite(.serialized) struct SavingCrashTests {
  @Test func killedProgramsLoseNothingThatWasCommitted() throws {
    let run = try Program.run("SavingCrash", ["kill", "--count", "12", "--per-store", "6"])
    #expect(run.status == 0, "\(run.text)\(run.errors)")
    #expect(run.text.hasPrefix("12 kills, "))
  }

  @Test func twoWritersLoseNoSave() throws {
    let run = try Program.run("SavingCrash", ["writers", "--saves", "200"])
    #expect(run.status == 0, "\(run.text)\(run.errors)")
    #expect(run.text.hasPrefix("200 saves by two programs"))
  }

  /// Limits that are reached while the store is created, in its log, and by an external file.
  @Test(arguments: [200_000, 1_000_000])
  func aFullDiskLosesNothing(limit: Int) throws {
    let run = try Program.run("SavingCrash", ["full", "--limit", "\(limit)"])
    #expect(run.status == 0, "\(run.text)\(run.errors)")
    #expect(run.text.contains("0 failures"))
  }
}
