import ArgumentParser
import DataModels
import Foundation
import ModelSource

/// `momtool compile`: compiles a source to a `.momd` or `.mom`.
struct CompileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile",
    abstract: "Compiles an .xcdatamodeld, .xcdatamodel or .xcmappingmodel, as momc does.",
    discussion: """
      An .xcdatamodeld becomes a .momd with all versions and VersionInfo.plist; a single \
      .xcdatamodel, or a contents file, becomes a .mom; an .xcmappingmodel becomes a .cdm, whose two \
      models are found at the paths it records unless they are given. All errors and warnings are \
      reported in one run, each with its file, line and column, on standard error.

      EXAMPLES
        momtool compile Shop.xcdatamodeld
        momtool compile Shop.xcdatamodeld -o build/Shop.momd --module Shop
        momtool compile Shop.xcdatamodel --xcode 15.4 -o Shop.mom
        momtool compile Shop.xcdatamodel --vintage 9 -o Shop.mom
        momtool compile Shop2to3.xcmappingmodel -o Shop2to3.cdm
      """)

  @Argument(help: ArgumentHelp("The source.", valueName: "source"), completion: .file())
  var source: String

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp(
      "Write here: the .momd or .mom, or a folder for it; - for standard output. "
        + "Default: the current folder.",
      valueName: "path"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The module of the classes, for class names that begin with a dot.", valueName: "name"))
  var module: String?

  @Option(
    help: ArgumentHelp(
      "The model that a mapping is from. Default: where the mapping says.", valueName: "model"),
    completion: .file())
  var sourceModel: String?

  @Option(
    help: ArgumentHelp(
      "The model that a mapping is to. Default: where the mapping says.", valueName: "model"),
    completion: .file())
  var destinationModel: String?

  @OptionGroup var stamp: StampOptions

  @Flag(help: "Print no warnings.")
  var noWarnings = false

  func validate() throws {
    guard sourceModel == nil && destinationModel == nil || MappingInput.isSource(source) else {
      throw ValidationError("--source-model and --destination-model are for an .xcmappingmodel.")
    }
  }

  func run() throws {
    let location = try InputLocation(source)
    guard location.revision == nil else {
      throw Diagnostic(
        "compile can't read from git: check out the revision, or extract it with git archive",
        path: source)
    }
    // A version in a bundle is a source of its own.
    let path = location.version.map { "\(location.path)/\($0).xcdatamodel" } ?? source
    guard FileManager.default.fileExists(atPath: path) else {
      let names = (try? ModelInput(location.path).versionNames()) ?? []
      throw Diagnostic(
        location.version.map {
          "the bundle has no version '\($0)'\(DidYouMean.text($0, among: names))"
        }
          ?? "there is no such file", path: source)
    }
    if ["mom", "momd", "omo"].contains(URL(fileURLWithPath: path).pathExtension),
      (try? ModelFile(at: path)) != nil
    {
      throw Diagnostic(
        "it is compiled already; momtool decompile makes a source of it", path: source)
    }
    do {
      try MappingInput.isSource(source) ? compileMapping() : compileModel(path)
    } catch let error as ModelSourceError {
      report(error.diagnostics)
      throw ExitStatus.findings
    }
  }

  private func compileMapping() throws {
    var compiler = try MappingCompiler(source: URL(fileURLWithPath: source), path: source)
    compiler.sourceModel = try sourceModel.map {
      try HistoryInput($0, reading: .selected).model()
    }
    compiler.destinationModel = try destinationModel.map {
      try HistoryInput($0, reading: .selected).model()
    }
    compiler.vintage = stamp.compilerVintage
    let compiled = try compiler.compile()
    report(compiled.diagnostics)
    try write(compiled.files, name: compiler.outputName)
  }

  private func compileModel(_ source: String) throws {
    let compiler = try ModelCompiler(
      source: URL(fileURLWithPath: source), path: source,
      options: ModelCompilerOptions(
        stamp: stamp.value, vintage: stamp.compilerVintage,
        reading: SourceReadingOptions(moduleName: module)))
    let compiled = try compiler.compile()
    report(compiled.diagnostics)
    try write(compiled.files, name: compiler.outputName)
  }

  private func report(_ diagnostics: [SourceDiagnostic]) {
    for diagnostic in diagnostics where !noWarnings || diagnostic.severity == .error {
      Diagnostics.report(diagnostic)
    }
  }

  private func write(_ files: CompiledFiles, name: String) throws {
    guard output == InputFile.standardInput else {
      return try files.write(to: try OutputPath.resolve(output, name: name))
    }
    guard !files.isFolder else {
      throw Diagnostic(
        "\(name) is a folder and can't be written to standard output; compile one version, or give "
          + "-o a path", path: source)
    }
    for file in files.files { try file.bytes.withUnsafeBytes { try StandardOutput.write($0) } }
  }
}

/// Determines where a command's output is written.
enum OutputPath {
  /// The path of an output: the given path, a file inside it if it is an ordinary folder, or a file in the current
  /// folder.
  ///
  /// A folder given with a trailing slash is created.
  ///
  /// - Throws: ``Diagnostic`` for a model of another kind, into which nothing is written.
  static func resolve(_ output: String?, name: String) throws -> String {
    guard let output else { return name }
    guard output.hasSuffix("/") || isFolder(output) else { return output }
    let url = URL(fileURLWithPath: output)
    let kind = URL(fileURLWithPath: name).pathExtension
    if url.pathExtension == kind { return output }
    guard !modelKinds.contains(url.pathExtension) else {
      throw Diagnostic(
        "it is no folder for \(name): give a name that ends in .\(kind)", path: output)
    }
    if output.hasSuffix("/") { try OutputFolder.make(output) }
    return url.appendingPathComponent(name).relativePath
  }

  /// The extensions of folders that are models, or mapping models.
  private static let modelKinds: Set = [
    "mom", "momd", "xcdatamodel", "xcdatamodeld", "xcmappingmodel",
  ]

  /// Whether a path is that of an existing folder, or of one to be created.
  static func isFolder(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    return exists && isDirectory.boolValue || path.hasSuffix("/")
  }
}
