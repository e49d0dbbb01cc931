import ArgumentParser
import DataModels
import Foundation
import ModelSource
import PropertyLists

/// `momtool generate`: writes the classes of a model's entities.
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract:
      "Generates the classes of a model's entities, as Xcode does, or its SwiftData schemas.",
    discussion: """
      By default, only entities whose source requests it (code generation Class Definition or \
      Category/Extension) get classes. With --all, and for compiled models, every entity with a \
      class gets one.

      Swift classes compile with Core Data on Apple's platforms, and with MomKit elsewhere. What no \
      compiler accepts is left out, with a warning that names the place: properties named like those \
      of every object, such as hash, and classes named like Foundation's. The paths of the files are \
      printed, one per line. An existing file that doesn't say that it was generated is left \
      unchanged, with a warning, unless --force is given: classes are extended by hand.

      With --language swiftdata, every version becomes a frozen VersionedSchema in its own file, and \
      several versions get a SchemaMigrationPlan. Inputs are bundles, versions, or a store of each \
      version that was shipped. A schema's file begins with the version hashes and the checksum that \
      stores record, which verify and guard check. An existing frozen schema that differs isn't \
      overwritten without --force, nor is a migration plan.

      EXAMPLES
        momtool generate Shop.xcdatamodeld -o Generated
        momtool generate Shop.momd --language objc -o Classes
        momtool generate Shop.xcdatamodeld --language swiftdata -o Schemas
        momtool generate 1.0/default.store 2.0/default.store --language swiftdata --name Shop
      """)

  /// The language to generate.
  enum Language: String, ExpressibleByArgument, CaseIterable {
    case swift, objc, swiftdata
  }

  @Argument(
    help: ArgumentHelp("The model, or for SwiftData one or more.", valueName: "input"),
    completion: .file())
  var inputs: [String]

  @Option(help: "The language: swift, objc, or swiftdata for schemas.")
  var language = Language.swift

  @Option(
    help: ArgumentHelp(
      "The prefix of schema type names. Default: the input's name.", valueName: "name"))
  var name: String?

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("The output folder, created if necessary.", valueName: "folder"))
  var output = "."

  @Flag(help: "Generate classes for all entities that name one.")
  var all = false

  @Flag(help: "Print the paths of the files without writing them.")
  var dryRun = false

  @Flag(help: "Overwrite classes written by hand, frozen schemas that differ, and migration plans.")
  var force = false

  func validate() throws {
    guard !inputs.isEmpty, language == .swiftdata || inputs.count == 1 else {
      throw ValidationError("Give a single model; only --language swiftdata takes several.")
    }
    if language != .swiftdata, name != nil {
      throw ValidationError("--name requires --language swiftdata.")
    }
  }

  func run() throws {
    if language == .swiftdata { return try generateSchemas() }
    let input = inputs[0]
    let (generator, isCompiled) = try generator(for: input)
    for diagnostic in generator.diagnostics { Diagnostics.report(diagnostic) }
    if generator.files.isEmpty {
      Diagnostics.report(
        Diagnostic(
          warning: all || isCompiled
            ? "no entity names a class (representedClassName), so none was generated"
            : "no entity requests a generated class; --all generates the classes of all entities that name one",
          path: input))
    }
    var paths: [String] = []
    for file in generator.files {
      let path = try path(of: file)
      guard force || !isHandWritten(path) else {
        Diagnostics.report(
          Diagnostic(
            warning:
              "this file doesn't say that it was generated, and was left unchanged; use --force to overwrite it",
            path: path))
        continue
      }
      try write(file, to: path)
      paths.append(path)
    }
    try list(paths)
  }

  /// Whether a file exists that a program's author wrote, or took over: generated ones say at their beginning what they are.
  private func isHandWritten(_ path: String) -> Bool {
    guard let bytes = try? FileBytes.readPrefix(of: path, count: 1024), !bytes.isEmpty else {
      return false
    }
    return !String(decoding: bytes, as: UTF8.self).contains(GeneratedFile.mark)
  }

  /// Writes the schemas of all versions, and the migration plan.
  private func generateSchemas() throws {
    let frozen = try FrozenSchemas(of: inputs, name: name)
    reportNotes(on: frozen.schemas)
    var paths: [String] = []
    var isRefused = false
    for schema in frozen.schemas.map(\.schema) {
      let path = try path(of: schema.file)
      if !force, FrozenSchemas.isTaken(path, by: schema) {
        Diagnostics.report(
          Diagnostic(
            "a different frozen schema exists; use --force to overwrite it", path: path))
        isRefused = true
        continue
      }
      try write(schema.file, to: path)
      paths.append(path)
    }
    if let plan = frozen.plan {
      let path = try path(of: plan.file)
      if !force, FileManager.default.fileExists(atPath: path) {
        Diagnostics.report(
          Diagnostic(
            warning:
              "the migration plan exists and was left unchanged; use --force to overwrite it",
            path: path))
      } else {
        try write(plan.file, to: path)
        paths.append(path)
      }
    }
    try list(paths)
    if isRefused { throw ExitStatus.trouble }
  }

  /// The path of a file in the output folder, which is created.
  private func path(of file: GeneratedFile) throws -> String {
    let folder = URL(fileURLWithPath: output, isDirectory: true)
    if !dryRun { try OutputFolder.make(output) }
    return output == "." ? file.name : folder.appendingPathComponent(file.name).relativePath
  }

  private func write(_ file: GeneratedFile, to path: String) throws {
    if !dryRun { try InputFile.write(Array(file.text.utf8), to: path) }
  }

  /// Prints the paths once all files are written, so that a reader that closes the pipe early can't interrupt the work.
  private func list(_ paths: [String]) throws {
    try StandardOutput.write(paths.map { $0 + "\n" }.joined())
  }

  /// Reports what SwiftData can't express: each note once, even if several schemas have it.
  private func reportNotes(on schemas: [(schema: SwiftDataSchema, input: String)]) {
    var told: [SwiftDataSchema.Note: Int] = [:]
    for note in schemas.flatMap(\.schema.notes) { told[note, default: 0] += 1 }
    for (schema, input) in schemas {
      for note in schema.notes {
        guard let count = told.removeValue(forKey: note) else { continue }
        let names = count > 1 ? "\(schema.name) and \(count - 1) more" : schema.name
        Diagnostics.report(Diagnostic(warning: "\(names): \(note)", path: input))
      }
    }
  }

  /// The classes of an input, and whether it is compiled: then it doesn't say which classes are asked for.
  private func generator(for input: String) throws -> (ClassGenerator, isCompiled: Bool) {
    let model = try ModelInput(input)
    let selection: ClassGenerationOptions.Selection = all ? .all : .asDeclared
    if let package = model.package {
      let source = try withExtendedLifetime(model) {
        try SourceReader(package).source(ofVersion: model.location.version)
      }
      let generator = ClassGenerator(
        source, modelName: model.name,
        options: ClassGenerationOptions(language: classLanguage, selection: selection))
      return (generator, false)
    }
    let generator = try ClassGenerator(
      model: InputReader.model(in: model), modelName: model.name,
      options: ClassGenerationOptions(language: classLanguage, selection: .all))
    return (generator, true)
  }

  private var classLanguage: ClassGenerationOptions.Language {
    language == .objc ? .objectiveC : .swift
  }
}
