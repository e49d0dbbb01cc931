import ArgumentParser
import CompiledModel
import Foundation
import ModelCompiler
import ModelSource

/// `momtool compile`: makes a `.momd` or `.mom` of a source.
struct CompileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile",
    abstract: "Compiles an .xcdatamodeld or .xcdatamodel, to the bytes that momc makes.",
    discussion: """
      An .xcdatamodeld becomes a .momd with all versions and VersionInfo.plist; a lone \
      .xcdatamodel, or a contents file, becomes a .mom. Errors and warnings go to standard error, \
      each with its file, line and column, all of them in one run.

      EXAMPLES
        momtool compile Shop.xcdatamodeld
        momtool compile Shop.xcdatamodeld -o build/Shop.momd --module Shop
        momtool compile Shop.xcdatamodel --xcode 15.4 -o Shop.mom
      """)

  @Argument(help: ArgumentHelp("The source.", valueName: "source"), completion: .file())
  var source: String

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp(
      "Write here: the .momd or .mom, or a folder for it. Default: the current folder.",
      valueName: "path"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The module of the classes, for class names that begin with a point.", valueName: "name"))
  var module: String?

  @OptionGroup var stamp: StampOptions

  @Flag(help: "Print no warnings.")
  var noWarnings = false

  func run() throws {
    let compiler = try ModelCompiler(
      source: URL(fileURLWithPath: source), path: source,
      options: ModelCompilerOptions(
        stamp: stamp.value, reading: SourceReadingOptions(moduleName: module)))
    do {
      let compiled = try compiler.compile()
      report(compiled.diagnostics)
      try compiled.write(to: outputPath(compiler.outputName))
    } catch let error as ModelSourceError {
      report(error.diagnostics)
      throw ExitStatus.findings
    }
  }

  private func report(_ diagnostics: [SourceDiagnostic]) {
    for diagnostic in diagnostics where !noWarnings || diagnostic.severity == .error {
      Diagnostics.report(diagnostic)
    }
  }

  private func outputPath(_ name: String) -> String {
    OutputPath.resolve(output, name: name)
  }
}

/// Where a command's output goes.
enum OutputPath {
  /// The path of an output: the one given, a name inside it when it is a folder of another kind, or
  /// the name in the current folder.
  static func resolve(_ output: String?, name: String) -> String {
    guard let output else { return name }
    let kind = URL(fileURLWithPath: name).pathExtension
    var isDirectory: ObjCBool = false
    let isFolder =
      FileManager.default.fileExists(atPath: output, isDirectory: &isDirectory)
      && isDirectory.boolValue
    guard output.hasSuffix("/") || isFolder, URL(fileURLWithPath: output).pathExtension != kind
    else { return output }
    return URL(fileURLWithPath: output).appendingPathComponent(name).relativePath
  }
}
