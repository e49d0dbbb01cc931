import DataModels
import Foundation
import ModelSource
import PropertyLists

/// Apple's model compiler, for build systems that invoke it by name.
@main
struct Momc {
  /// The exit statuses.
  private enum Status {
    static let failure: Int32 = 1
    static let usage: Int32 = 64
  }

  private let arguments: MomcArguments

  static func main() {
    UnfinishedFiles.removeWhenSignalsEnd()
    do {
      let arguments = try MomcArguments(Array(CommandLine.arguments.dropFirst()))
      if arguments.showsHelp { return print(MomcArguments.usage, terminator: "") }
      if arguments.showsVersion { return print("momc (MomKit) 24512") }
      for option in arguments.unknown {
        printError("momc: warning: unknown option \(option) is ignored")
      }
      try Momc(arguments: arguments).run()
    } catch let error as MomcArguments.UsageError {
      printError("momc: error: \(error.message)\n\(MomcArguments.usage)")
      exit(Status.usage)
    } catch let error as ModelSourceError {
      error.diagnostics.forEach(report)
      exit(Status.failure)
    } catch {
      printError("\(CommandLine.arguments.dropFirst().last ?? "momc"):0: error: \(error)")
      exit(Status.failure)
    }
  }

  private func run() throws {
    switch arguments.action {
    case .compile:
      let url = URL(fileURLWithPath: arguments.input)
      try url.pathExtension == "xcmappingmodel" ? compileMapping(url) : compile()
    case .generate: try generate()
    }
  }

  private var reading: SourceReadingOptions {
    var options = SourceReadingOptions(moduleName: arguments.module)
    options.skippedRules = arguments.skippedRules
    return options
  }

  // MARK: Compiling

  private func compile() throws {
    let compiler = try ModelCompiler(
      source: URL(fileURLWithPath: arguments.input), path: arguments.input,
      options: ModelCompilerOptions(stamp: arguments.stamp, reading: reading))
    let compiled: ModelCompiler.Output
    do {
      compiled = try compiler.compile()
    } catch let error as ModelSourceError {
      throw ModelSourceError(diagnostics: error.diagnostics.filter(isShown))
    }
    compiled.diagnostics.filter(isShown).forEach(Self.report)
    let path = try outputPath(compiler.outputName)
    if arguments.isDryRun {
      print(path)
      for file in compiled.files.files where compiled.files.isFolder {
        print("\(path)/\(file.name)")
      }
    } else {
      try compiled.write(to: path)
    }
  }

  private func compileMapping(_ url: URL) throws {
    let compiler = try MappingCompiler(source: url, path: arguments.input)
    let compiled = try compiler.compile()
    compiled.diagnostics.filter(isShown).forEach(Self.report)
    let path = try outputPath(compiler.outputName)
    if arguments.isDryRun {
      print(path)
    } else {
      try compiled.files.write(to: path)
    }
  }

  /// The output path itself, or a file inside it if it is an ordinary folder.
  private func outputPath(_ name: String) throws -> String {
    let output = arguments.output
    if output.hasSuffix("/"), !arguments.isDryRun {
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    }
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: output, isDirectory: &isDirectory)
    let kind = URL(fileURLWithPath: name).pathExtension
    guard output.hasSuffix("/") || (exists && isDirectory.boolValue),
      URL(fileURLWithPath: output).pathExtension != kind
    else { return output }
    return output.hasSuffix("/") ? output + name : "\(output)/\(name)"
  }

  // MARK: Generating

  private func generate() throws {
    let source = try generatedSource()
    let isSwift =
      arguments.singleFile != nil || source.document.root["sourceLanguage"] == "Swift"
    let name = URL(fileURLWithPath: arguments.input).deletingPathExtension().lastPathComponent
    let generator = ClassGenerator(
      source, modelName: name,
      options: ClassGenerationOptions(language: isSwift ? .swift : .objectiveC))
    generator.diagnostics.filter(isShown).forEach(Self.report)
    if let path = arguments.singleFile {
      let text = generator.files.map(\.text).joined(separator: "\n")
      if !arguments.isDryRun {
        try Self.write(text, to: path)
      }
      return print(path)
    }
    let folder = arguments.output.hasSuffix("/") ? arguments.output : arguments.output + "/"
    if !arguments.isDryRun {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    }
    for file in generator.files {
      if !arguments.isDryRun {
        try Self.write(file.text, to: folder + file.name)
      }
      print(folder + file.name)
    }
  }

  /// The version that classes are generated for: the current one. If none is current, a model whose versions ask for no
  /// class builds nevertheless, as it compiles; it doesn't matter then which version is taken.
  private func generatedSource() throws -> SourceModel {
    let url = URL(fileURLWithPath: arguments.input)
    let package = try ModelPackage(at: url)
    if package.currentVersion == nil {
      let sources = try package.versions.map { try SourceModel(version: $0, options: reading) }
      if let first = sources.first, sources.allSatisfy({ ClassGenerator($0).files.isEmpty }) {
        return first
      }
    }
    return try SourceModel(contentsOf: url, options: reading)
  }

  private static func write(_ text: String, to path: String) throws {
    do {
      try AtomicFile.write(Array(text.utf8), to: path)
    } catch {
      throw ModelFileError(writing: error, path: path)
    }
  }

  // MARK: Diagnostics

  private func isShown(_ diagnostic: SourceDiagnostic) -> Bool {
    arguments.showsWarnings || diagnostic.severity == .error
  }

  /// Prints a diagnostic in the format that build systems parse: path, object, severity, text.
  private static func report(_ diagnostic: SourceDiagnostic) {
    let object = diagnostic.object ?? diagnostic.location.map { "\($0.line)" } ?? "0"
    printError(
      "\(diagnostic.path):\(object): \(diagnostic.severity.rawValue): \(diagnostic.message)")
  }

  private static func printError(_ text: String) {
    // Failing to report something doesn't abort the work.
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}
