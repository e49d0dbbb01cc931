import ArgumentParser
import DataModels
import Foundation
import ModelSource

/// `momtool decompile`: creates the source of a compiled model.
struct DecompileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decompile",
    abstract: "Makes an .xcdatamodeld or .xcdatamodel of a compiled model or a store.",
    discussion: """
      A bundle (.momd) becomes an .xcdatamodeld with all its versions or, with -o OUT.xcdatamodel, \
      a model of the current one; a .mom, an .omo or the model cached in a store becomes an \
      .xcdatamodel or, with -o OUT.xcdatamodeld, a bundle with one version. In a folder or an \
      application there must be a single model. What a source can't express is reported on \
      standard error.

      EXAMPLES
        momtool decompile Shop.momd
        momtool decompile Shop.sqlite -o Recovered.xcdatamodeld
      """)

  @Argument(help: ArgumentHelp("The compiled model.", valueName: "input"), completion: .file())
  var input: String

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp(
      "Write here. Default: the model's name in the current folder.", valueName: "path"))
  var output: String?

  @Flag(help: "Replace a source that is there.")
  var force = false

  func validate() throws {
    if output == "-" {
      throw ValidationError(
        "A source is a folder and can't be written to standard output: give a path.")
    }
    guard let output, !OutputPath.isFolder(output), Self.form(of: output) == nil else { return }
    throw ValidationError(
      "The output must be a folder, or end in .xcdatamodel or .xcdatamodeld.")
  }

  /// What a path asks for by its name; nil if it is no source's.
  private static func form(of path: String) -> (isVersioned: Bool, name: String)? {
    let url = URL(fileURLWithPath: path)
    guard ["xcdatamodel", "xcdatamodeld"].contains(url.pathExtension) else { return nil }
    return (
      url.pathExtension == "xcdatamodeld", url.deletingPathExtension().lastPathComponent
    )
  }

  func run() throws {
    let part = try onlyPart()
    var reader = InputReader()
    let loaded = reader.models(in: part, .all)
    try reader.finish()
    guard !loaded.isEmpty else { throw Diagnostic("there is no model", path: input) }
    let asked = output.flatMap(Self.form)
    let isVersioned = asked?.isVersioned ?? (loaded.count > 1 || loaded[0].version != nil)
    let name = asked?.name ?? part.name
    let versions = loaded.map { (name: $0.version ?? name, model: $0.model) }
    let current = try versions.count == 1 ? versions[0].name : part.currentVersionName()
    let written =
      isVersioned || versions.count == 1 ? versions : versions.filter { $0.name == current }
    guard !written.isEmpty else {
      throw ModelFileError(noCurrentVersionAmong: versions.map(\.name), path: input)
    }
    let source = ModelDecompiler.decompile(
      written, name: name, isVersioned: isVersioned, currentVersionName: current)
    for loss in source.losses {
      var diagnostic = Diagnostic("not written: \(loss)", path: input)
      diagnostic.severity = .warning
      Diagnostics.report(diagnostic)
    }
    try source.write(to: try OutputPath.resolve(output, name: source.name), replacing: force)
  }

  /// The input or, for a folder, the only file or bundle inside: several would become versions of one model.
  private func onlyPart() throws -> ModelInput {
    let parts = try InputReader.reported(input) { try ModelInput(input).parts(having: .all) }
    guard parts.count == 1 else {
      throw ModelFileError(
        .noModel,
        "\(parts.count) models were found; choose one of them, such as"
          + " \(parts.first?.location.text ?? input)", path: input)
    }
    return parts[0]
  }
}
