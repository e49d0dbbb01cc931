import ArgumentParser
import DataModels
import Foundation
import ModelSource

/// `momtool generate`: writes the classes of a model's entities.
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generates the classes of a model's entities, as Xcode does.",
    discussion: """
      By default only those entities get classes whose source asks for it (code generation Class \
      Definition or Category/Extension); --all makes them for every entity with a class, which is \
      also what compiled models get.

      Swift classes compile with Core Data on Apple's systems, and with MomKit elsewhere. The \
      files' paths are printed, a line each.

      EXAMPLES
        momtool generate Shop.xcdatamodeld -o Generated
        momtool generate Shop.momd --language objc -o Classes
      """)

  @Argument(help: ArgumentHelp("The model.", valueName: "input"), completion: .file())
  var input: String

  @Option(help: "The language: swift or objc.")
  var language = ClassGenerationOptions.Language.swift

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("Write into this folder, which is made.", valueName: "folder"))
  var output = "."

  @Flag(help: "Generate the classes of all entities that have one.")
  var all = false

  @Flag(help: "Write nothing, and print the paths only.")
  var dryRun = false

  func run() throws {
    let generator = try generator()
    for diagnostic in generator.diagnostics { Diagnostics.report(diagnostic) }
    if generator.files.isEmpty {
      Diagnostics.report(
        Diagnostic(
          warning: "no entity asks for a generated class; --all makes those of all that have one",
          path: input))
    }
    let folder = URL(fileURLWithPath: output, isDirectory: true)
    if !dryRun {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    for file in generator.files {
      let path = output == "." ? file.name : folder.appendingPathComponent(file.name).relativePath
      if !dryRun { try InputFile.write(Array(file.text.utf8), to: path) }
      try StandardOutput.write(path + "\n")
    }
  }

  private func generator() throws -> ClassGenerator {
    let name = URL(fileURLWithPath: input).deletingPathExtension().lastPathComponent
    let selection: ClassGenerationOptions.Selection = all ? .all : .asDeclared
    if let package = try ModelInput(input).sourcePackage {
      let source = try SourceReader(package).currentSource()
      return ClassGenerator(
        source, modelName: name,
        options: ClassGenerationOptions(language: language, selection: selection))
    }
    return try ClassGenerator(
      model: InputReader.model(at: input), modelName: name,
      options: ClassGenerationOptions(language: language, selection: .all))
  }
}

extension ClassGenerationOptions.Language: ExpressibleByArgument {}
