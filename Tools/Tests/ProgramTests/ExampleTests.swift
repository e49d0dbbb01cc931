import Foundation
import Testing

/// The examples in Tools/Examples, run as programs. `Library` and `Notes` are in a separate package and built with
/// MomKit's plugin, which compiles their models and generates their classes.
@Suite struct ExampleTests {
  @Test(arguments: [
    "DownloadCache", "ModelInCode", "SavedModel", "EventsAndLocations", "CompaniesAndWorkers",
    "Library", "Notes",
  ])
  func examplesRun(name: String) throws {
    let folder = try TemporaryFolder()
    let run = try Program.run(name, [folder.url.path])
    #expect(run.status == 0)
    #expect(run.text.hasSuffix("all as it should be\n"), "\(run.text)\(run.errors)")
    #expect(!run.text.contains("WRONG"))
  }

  /// The independent checker of compiled models, if it is next to the checkout.
  private static let momcheck = Program.packageRoot
    .appendingPathComponent("../shared/tools/momcheck.py").standardizedFileURL.path

  /// The checker accepts the model that the third example saves.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: momcheck)))
  func theSavedModelSatisfiesTheOracle() throws {
    let folder = try TemporaryFolder()
    _ = try Program.run("SavedModel", [folder.url.path])
    let model = folder.file("db/AppDataModel.momd").path
    for check in ["lint", "order"] {
      let run = try Program.run(
        "/usr/bin/env", ["python3", Self.momcheck, check, model],
        variables: ["PYTHONDONTWRITEBYTECODE": "1"])
      #expect(run.status == 0, "\(check): \(run.text)\(run.errors)")
    }
  }
}
