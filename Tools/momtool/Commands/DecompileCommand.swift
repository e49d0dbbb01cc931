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
      A bundle (.momd) becomes an .xcdatamodeld with all its versions; a .mom, an .omo or the model \
      cached in a store becomes an .xcdatamodel or, with -o OUT.xcdatamodeld, a bundle with one \
      version. What a source can't express is reported on standard error.

      EXAMPLES
        momtool decompile Shop.momd
        momtool decompile Shop.sqlite -o Recovered.xcdatamodeld
      """)

  @Argument(help: ArgumentHelp("The compiled model.", valueName: "input"), completion: .file())
  var input: String

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp(
      "Write here. Default: the input's name in the current folder.", valueName: "path"))
  var output: String?

  @Flag(help: "Replace a source that is there.")
  var force = false

  func validate() throws {
    if output == "-" {
      throw ValidationError(
        "A source is a folder and can't be written to standard output: give a path.")
    }
  }

  func run() throws {
    var reader = InputReader()
    let loaded = reader.models(at: input, .all)
    try reader.finish()
    guard !loaded.isEmpty else { throw Diagnostic("there is no model", path: input) }
    let url = URL(fileURLWithPath: output ?? input)
    let isVersioned =
      loaded.count > 1 || loaded[0].version != nil || url.pathExtension == "xcdatamodeld"
    let name = url.deletingPathExtension().lastPathComponent
    let current = try? ModelBundle(at: input).currentVersionName()
    let source = ModelDecompiler.decompile(
      loaded.map { ($0.version ?? name, $0.model) }, name: name, isVersioned: isVersioned,
      currentVersionName: current ?? (loaded.count == 1 ? loaded[0].version ?? name : nil))
    for loss in source.losses {
      var diagnostic = Diagnostic("not written: \(loss)", path: input)
      diagnostic.severity = .warning
      Diagnostics.report(diagnostic)
    }
    try source.write(to: try OutputPath.resolve(output, name: source.name), replacing: force)
  }
}
