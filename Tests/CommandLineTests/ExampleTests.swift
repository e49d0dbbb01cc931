import Foundation
import TestSupport
import Testing

/// The examples of Tools/Examples, run as programs. `Library` is built by the package's own plugin,
/// which compiles its model and generates its classes.
@Suite struct ExampleTests {
  @Test(arguments: [
    "DownloadCache", "ModelInCode", "SavedModel", "EventsAndLocations", "CompaniesAndWorkers",
    "Library",
  ])
  func examplesRun(name: String) throws {
    try Tool.withTemporaryFolder { folder in
      let run = try Tool.run(program: name, arguments: [folder.path])
      #expect(run.status == 0)
      #expect(run.text.hasSuffix("all as it should be\n"), "\(run.text)\(run.errors)")
      #expect(!run.text.contains("WRONG"))
    }
  }

  /// What the third example saves passes for a compiled model.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func theSavedModelSatisfiesTheOracle() throws {
    try Tool.withTemporaryFolder { folder in
      _ = try Tool.run(program: "SavedModel", arguments: [folder.path])
      let model = folder.appendingPathComponent("db/AppDataModel.momd").path
      let momcheck = Corpus.tools.appendingPathComponent("momcheck.py").path
      for check in ["lint", "order"] {
        let run = try Tool.run(
          URL(fileURLWithPath: "/usr/bin/env"),
          arguments: ["python3", momcheck, check, model],
          environment: ["PYTHONDONTWRITEBYTECODE": "1"], in: nil)
        #expect(run.status == 0, "\(check): \(run.text)\(run.errors)")
      }
    }
  }
}
