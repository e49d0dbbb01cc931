import ArgumentParser
import DataModels
import ModelListing
import ModelReports

/// `momtool dump`: shows models.
struct DumpCommand: ParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, dot, svg, png
  }

  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Shows a model: as text, as JSON, or as a drawing.",
    discussion: """
      Text is for people, with one property per line. JSON is for scripts, with a versioned schema. \
      svg is a drawing that adapts to light and dark mode; png is the same as an image, for which a \
      browser must be installed (Chromium, Chrome, Edge or Brave); dot is for Graphviz.

      For a bundle, the current version is shown, or the one given with --version, or all.

      EXAMPLES
        momtool dump Shop.momd
        momtool dump Shop.momd --version 'Shop 2' --entity Order
        momtool dump Shop.app Shop.sqlite --format json
        momtool dump - --format svg < Shop.mom > Shop.svg
        momtool dump Shop.momd --format png > Shop.png
      """)

  @Argument(
    help: ArgumentHelp("The models to show; - for standard input.", valueName: "input"),
    completion: .file())
  var inputs: [String]

  @Option(help: "The output format: text, json, dot, svg or png.")
  var format = Format.text

  @Option(help: ArgumentHelp("Show only this entity.", valueName: "name"))
  var entity: String?

  @Option(help: ArgumentHelp("Show this version of a bundle.", valueName: "name"))
  var version: String?

  @Flag(help: "Show all versions of a bundle.")
  var allVersions = false

  @Flag(help: "Omit paths from the text, so that it depends only on the models.")
  var untitled = false

  @OptionGroup var colors: ColorOptions

  func validate() throws {
    if version != nil, allVersions {
      throw ValidationError("Give --version or --all-versions, not both.")
    }
  }

  func run() throws {
    if inputs.allSatisfy(MappingInput.isMapping) { return try showMappings() }
    var selection = ModelFile.Selection.current
    if let version { selection = .named(version) }
    if allVersions { selection = .all }
    var reader = InputReader()
    let entries = inputs.flatMap { reader.models(at: $0, selection) }.compactMap { input in
      reader.attempt(input.path) { try self.entry(for: input) }
    }
    if !entries.isEmpty {
      if format == .png {
        try StandardOutput.write(picture(of: entries))
      } else {
        try StandardOutput.write(render(entries))
      }
    }
    try reader.finish()
  }

  /// Shows mapping models, which have no entities to select and no drawing.
  private func showMappings() throws {
    guard entity == nil, version == nil, [.text, .json].contains(format) else {
      throw ValidationError("A mapping model can only be shown as a whole, as text or json.")
    }
    try MappingCommand.parse(inputs + ["--format", format.rawValue]).run()
  }

  private func entry(for input: LoadedModel) throws -> ModelJSONListing.Entry {
    var schema = ModelSchema(input.model)
    if let entity {
      guard let part = schema.only(entity: entity) else {
        throw Diagnostic(
          "the model has no entity '\(entity)'"
            + DidYouMean.text(entity, among: input.model.entities.compactMap(\.name)),
          path: input.path)
      }
      schema = part
    }
    return ModelJSONListing.Entry(path: input.path, version: input.version, model: schema)
  }

  private func render(_ entries: [ModelJSONListing.Entry]) throws -> String {
    switch format {
    case .json:
      return try ModelJSONListing(entries).text()
    case .text:
      let paint = TerminalPaint.listing(isOn: colors.isOn)
      return entries.map { entry in
        ModelTextListing(entry.model, title: untitled ? nil : entry.title, paint: paint).text
      }.joined(separator: "\n")
    case .dot:
      return drawings(entries).joined(separator: "\n")
    case .svg, .png:
      let entry = try only(entries)
      return ModelDiagram(entry.model).svg(title: entry.title)
    }
  }

  private func picture(of entries: [ModelJSONListing.Entry]) throws -> [UInt8] {
    let entry = try only(entries)
    guard !StandardOutput.isTerminal else {
      throw Diagnostic(
        "an image can't be shown on a terminal: redirect it to a file, as in > Model.png")
    }
    return try BrowserPicture().png(of: ModelDiagram(entry.model), title: entry.title)
  }

  private func only(_ entries: [ModelJSONListing.Entry]) throws -> ModelJSONListing.Entry {
    guard let entry = entries.first, entries.count == 1 else {
      throw Diagnostic(
        "\(format.rawValue) shows a single model, but there are \(entries.count): choose one")
    }
    return entry
  }

  private func drawings(_ entries: [ModelJSONListing.Entry]) -> [String] {
    entries.map { ModelGraphDrawing($0.model, title: $0.title).text }
  }
}

extension ModelJSONListing.Entry {
  /// The title of the model in listings for people.
  fileprivate var title: String {
    path ?? InputFile.standardInput
  }
}
