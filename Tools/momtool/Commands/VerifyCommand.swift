import ArgumentParser
import DataModels
import ManagedObjects

/// `momtool verify`: compares models with what is recorded about them.
struct VerifyCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compares bundles and stores with the version hashes they record themselves.",
    discussion: """
      A bundle records the hashes of its versions' entities, and newer ones a checksum; a store \
      records the hashes of the model it was made with. Core Data goes by what is recorded, so a \
      model that was changed and not compiled anew, or a file that was damaged, shows here.

      Each difference is a line. The exit status is 1 when there is one.

      EXAMPLES
        momtool verify Shop.momd
        momtool verify Shop.app Shop.sqlite --format json
      """)

  @Argument(
    help: ArgumentHelp("Bundles, stores, and folders that hold bundles.", valueName: "input"),
    completion: .file())
  var inputs: [String]

  @Option(help: "The form: text or json.")
  var format = Format.text

  func run() throws {
    var reader = InputReader()
    let reports = inputs.flatMap { input -> [VerificationReport.Input] in
      guard input != InputFile.standardInput else {
        return reader.attempt(input) {
          throw Diagnostic(
            "a model alone records no hashes: name the bundle or the store it belongs to",
            path: input)
        } ?? []
      }
      return reader.files(at: input).compactMap { file in
        reader.attempt(file.path) { try Self.report(on: file, isAlone: file.path == input) } ?? nil
      }
    }
    switch format {
    case .text: try StandardOutput.write(reports.map(\.text).joined())
    case .json: try StandardOutput.write(VerificationReport(inputs: reports).json())
    }
    try reader.finish()
    if reports.contains(where: { !$0.differences.isEmpty }) { throw ExitStatus.findings }
  }

  /// What is found about one file; `nil` for one that records nothing, in a folder.
  private static func report(
    on file: ModelFile, isAlone: Bool
  ) throws -> VerificationReport.Input? {
    switch file.kind {
    case .bundle:
      let bundle = try ModelBundle(at: file.path)
      guard !bundle.versionNames.isEmpty || bundle.versionInfo != nil else {
        throw Diagnostic(
          "the bundle is empty: it holds neither a version (.mom) nor VersionInfo.plist",
          path: file.path)
      }
      return .init(path: file.path, differences: bundle.verify())
    case .store:
      return .init(path: file.path, differences: try StoreFile(at: file.path).verify())
    default:
      guard isAlone else { return nil }
      throw Diagnostic(
        "a model alone records no hashes: give the bundle or the store it belongs to",
        path: file.path)
    }
  }
}
