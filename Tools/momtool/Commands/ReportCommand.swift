import ArgumentParser
import Foundation

/// `momtool report`: writes a page about a model, its versions, or a store.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Writes one page about a model, its versions, or a store: drawings, tables, search.",
    discussion: """
      The page is a single HTML file that doesn't need a network: the diagram, every entity, and the \
      findings of lint; for a bundle, its versions, the differences between any two, and their \
      migrations; for a store, its contents and the findings of a check. Inputs are as for diff. \
      Several inputs are versions of one model, in the given order: with git:REV:PATH, a history of \
      revisions. --history reads them from git: one version for each commit that changed the model.

      Without an input, the model in the current folder is used, with its history if it is in git.

      A store is never modified. The same input always gives the same bytes.

      EXAMPLES
        momtool report Shop.xcdatamodeld -o report.html
        momtool report Shop.sqlite -o report.html --open
        momtool report Shop.xcdatamodeld --history -o report.html
        momtool report git:v1:Shop.xcdatamodeld git:v2:Shop.xcdatamodeld Shop.xcdatamodeld -o report.html
      """)

  @Argument(
    help: ArgumentHelp(
      "A model, a bundle of versions, a store, or versions one by one.", valueName: "input"),
    completion: .file())
  var inputs: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write the page to this file; - for standard output.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var output: String

  @Option(help: ArgumentHelp("The page's title. Default: the input's name.", valueName: "text"))
  var title: String?

  @Option(
    help: ArgumentHelp(
      "The store's model, if the store has no copy of it: a .mom, .momd or source.",
      valueName: "model"))
  var model: String?

  @Flag(help: "Show each commit that changed the model as a version.")
  var history = false

  @Flag(help: "Open the page in the browser.")
  var open = false

  func validate() throws {
    if open, output == InputFile.standardInput {
      throw ValidationError("A page on standard output can't be opened: give a file with --output.")
    }
    if history, inputs.count > 1 {
      throw ValidationError("--history takes a single input that is in a git repository.")
    }
  }

  func run() throws {
    let opener = try open ? BrowserOpener() : nil
    let bytes = Array(try source().page().html().utf8)
    if output == InputFile.standardInput {
      try StandardOutput.write(bytes)
    } else {
      try InputFile.write(bytes, to: output)
      try opener?.open(file: output)
    }
  }

  private func source() throws -> ReportSource {
    guard inputs.isEmpty else {
      return ReportSource(inputs: inputs, title: title, model: model, hasHistory: history)
    }
    let found = try ModelSearch.onlyModel(in: ".")
    return ReportSource(
      inputs: [found], title: title, model: model,
      hasHistory: history || GitHistory.isKnown(found))
  }
}
