import ArgumentParser
import DataModels
import ModelListing

/// `momtool hashes`: shows the hashes that identify versions of a model.
struct HashesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hashes",
    abstract: "Shows the version hashes of a model's entities, its checksum and its digest.",
    discussion: """
      Hashes are computed from the model, not read from what a file records; verify compares the \
      two. For a bundle, all versions are shown, or the one given with --version.

      VersionInfo.plist records the checksum since Xcode 15, and staged migration uses it; the \
      digest is in the metadata of stores.

      EXAMPLES
        momtool hashes Shop.momd
        momtool hashes Shop.mom --format json | jq -r '.models[0].entities.Order'
      """)

  @Argument(
    help: ArgumentHelp("The models; - for standard input.", valueName: "input"),
    completion: .file())
  var inputs: [String]

  @Option(help: "The output format: text or json.")
  var format = PlainFormat.text

  @Option(help: ArgumentHelp("Show this version of a bundle.", valueName: "name"))
  var version: String?

  @OptionGroup var colors: ColorOptions

  func run() throws {
    var reader = InputReader()
    let selection = version.map { ModelFile.Selection.named($0) } ?? .all
    let entries = inputs.flatMap { reader.models(at: $0, selection) }.compactMap { input in
      reader.attempt(input.path) {
        try ModelHashListing.Entry(path: input.path, version: input.version, model: input.model)
      }
    }
    if !entries.isEmpty {
      let listing = ModelHashListing(entries)
      switch format {
      case .text:
        try StandardOutput.write(listing.text(paint: TerminalPaint.listing(isOn: colors.isOn)))
      case .json: try StandardOutput.write(listing.json())
      }
    }
    try reader.finish()
  }
}
