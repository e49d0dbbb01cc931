import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import ModelEvolution
import ModelListing
import ModelReports

/// `momtool report`: writes a page about a model, its versions, or a store.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Writes one page about a model, its versions, or a store: drawings, tables, search.",
    discussion: """
      The page is one HTML file that needs no network: the diagram, every entity, what lint finds; of a bundle its \
      versions, any two compared, and what migrates; of a store what is in it, and what a check finds. Inputs are as \
      for diff. Several inputs are versions of one model, in the order in which they are given: git:REV:PATH \
      makes a history of revisions.

      A store is read and never changed. The same input gives the same bytes.

      EXAMPLES
        momtool report Shop.xcdatamodeld -o report.html
        momtool report Shop.sqlite -o report.html --open
        momtool report git:v1:Shop.xcdatamodeld git:v2:Shop.xcdatamodeld Shop.xcdatamodeld -o report.html
      """)

  @Argument(
    help: ArgumentHelp(
      "A model, a bundle of versions, a store, or versions one by one.", valueName: "input"),
    completion: .file())
  var inputs: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write the page to this file; - for standard output.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var output: String

  @Option(help: ArgumentHelp("The page's title. Default: the input's name.", valueName: "text"))
  var title: String?

  @Option(
    help: ArgumentHelp(
      "The store's model, where the store has no copy of it: a .mom, .momd or source.",
      valueName: "model"))
  var model: String?

  @Flag(help: "Open the page in the browser.")
  var open = false

  func validate() throws {
    if open, output == InputFile.standardInput {
      throw ValidationError("A page on standard output can't be opened: give --output a file.")
    }
  }

  func run() throws {
    let opener = try open ? BrowserOpener() : nil
    let page =
      inputs.count == 1 && Self.isStore(inputs[0])
      ? try InputReader.reported(inputs[0]) { try storePage(inputs[0]) } : try modelPage()
    let bytes = Array(try page.html().utf8)
    if output == InputFile.standardInput {
      try StandardOutput.write(bytes)
    } else {
      try InputFile.write(bytes, to: output)
      try opener?.open(output)
    }
  }

  // MARK: Models

  private func modelPage() throws -> ReportPage {
    guard model == nil else {
      throw ValidationError("--model is for a store; the inputs are models.")
    }
    let history = try inputs.count == 1 ? bundle(inputs[0]) : revisions()
    guard let shown = history.currentVersion ?? history.versions.last else {
      throw Diagnostic("there is no model to report on", path: inputs[0])
    }
    let schema = ModelSchema(shown.model)
    var report = ReportData(title: title ?? Self.name(of: inputs[inputs.count - 1]))
    report.model = .init(schema)
    report.findings = ReportData.lint(shown.model)
    if history.versions.count > 1 { report.versions = .init(history) }
    return ReportPage(report, schema: schema)
  }

  private func bundle(_ input: String) throws -> VersionedModel {
    try HistoryInput.required(input, reading: .readable).history
  }

  /// Treats the inputs as versions, the last one being current.
  private func revisions() throws -> VersionedModel {
    var names: [String] = []
    let models = try inputs.map { input in
      let model = try HistoryInput.required(input, reading: .selected).model()
      names.append(input)
      return model
    }
    // Versions are sorted by name, so numbers are used to keep the given order.
    let width = "\(inputs.count)".count
    let numbered = zip(names, models).enumerated().map { place, pair in
      let number = "\(place + 1)"
      let zeros = String(repeating: "0", count: width - number.count)
      return (name: "\(zeros)\(number) · \(Self.shortName(of: pair.0))", model: pair.1)
    }
    return VersionedModel(numbered, currentVersionName: numbered.last?.name)
  }

  // MARK: Stores

  private static func isStore(_ path: String) -> Bool {
    (try? ModelFile(at: path))?.kind == .store
  }

  private func storePage(_ path: String) throws -> ReportPage {
    let input = StoreInput(store: path, model: model)
    let loaded = try input.loadModel()
    let schema = ModelSchema(loaded)
    let places = Dictionary(
      schema.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let url = URL(fileURLWithPath: path)
    var report = ReportData(title: title ?? Self.name(of: path))
    report.model = .init(schema)
    report.store = try .init(at: url, model: loaded, places: places)
    report.findings = ReportData.check(url, model: loaded) + ReportData.lint(loaded)
    return ReportPage(report, schema: schema)
  }

  // MARK: Names

  /// The last component of an input's path, so that a page doesn't depend on the input's location.
  private static func name(of input: String) -> String {
    let path = (try? InputLocation(input))?.path ?? input
    return URL(fileURLWithPath: path).lastPathComponent
  }

  /// The display name of a version: its revision, or its file name.
  private static func shortName(of input: String) -> String {
    guard let location = try? InputLocation(input) else { return input }
    return location.revision ?? location.version ?? name(of: input)
  }
}

/// The program with which the desktop opens files.
private struct BrowserOpener {
  private let program: URL

  /// - Throws: ``Diagnostic`` when there is none.
  init() throws {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    let programs = folders.split(separator: ":").flatMap { folder in
      ["xdg-open", "open"].map { URL(fileURLWithPath: String(folder)).appendingPathComponent($0) }
    }
    guard
      let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
    else {
      throw Diagnostic(
        "--open needs xdg-open, which isn't installed (apt-get install xdg-utils); without --open the page is "
          + "written all the same")
    }
    self.program = program
  }

  func open(_ path: String) throws {
    let process = Process()
    process.executableURL = program
    process.arguments = [URL(fileURLWithPath: path).path]
    do {
      try process.run()
    } catch {
      throw Diagnostic("can't run \(program.path): \(error)", path: path)
    }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Diagnostic(
        "\(program.lastPathComponent) failed with status \(process.terminationStatus); the page is written",
        path: path)
    }
  }
}
