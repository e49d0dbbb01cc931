import ArgumentParser
import CompiledModel
import Foundation
import ManagedModel

/// `momtool convert`: writes a model in another form.
struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Writes a model in another form: .mom or .momd.",
    discussion: """
      The model is read and written anew, as the newest momc writes it: the bytes do not depend on \
      the order of the input. The stamp of the compiler is kept.

      OUTPUT ends in .mom for one model, or in .momd for a bundle. A bundle keeps all its versions \
      as a bundle; as a .mom its current version is written, or the one named. An OUTPUT of - \
      writes a .mom to standard output.

      EXAMPLES
        momtool convert Shop.sqlite Shop.mom
        momtool convert Old.momd New.momd
        momtool convert Shop.momd --version 'Shop 2' Shop2.mom
      """)

  @Argument(help: "The model; - for standard input.", completion: .file())
  var input: String

  @Argument(help: "The file or bundle to write; - for standard output.", completion: .file())
  var output: String

  @Option(help: ArgumentHelp("Write this version of a bundle.", valueName: "name"))
  var version: String?

  @Flag(help: "Replace the input itself, when OUTPUT names it.")
  var force = false

  private var isBundle: Bool { outputURL.pathExtension == "momd" }

  private var outputURL: URL { URL(fileURLWithPath: output) }

  func validate() throws {
    guard output != InputFile.standardInput else { return }
    guard ["mom", "momd"].contains(outputURL.pathExtension) else {
      throw ValidationError("OUTPUT must end in .mom or .momd, or be -.")
    }
    guard force || outputURL.standardizedFileURL != URL(fileURLWithPath: input).standardizedFileURL
    else {
      throw ValidationError("OUTPUT is the input itself; give --force to replace it.")
    }
  }

  func run() throws {
    var reader = InputReader()
    var selection = isBundle ? ModelFile.Selection.all : .current
    if let version { selection = .named(version) }
    let models = reader.models(at: input, selection)
    try reader.finish()
    guard let model = models.first else { throw ExitStatus.trouble }
    if isBundle {
      try writeBundle(models)
    } else {
      guard models.count == 1 else {
        throw Diagnostic(
          "there are \(models.count) models here, and a .mom holds one: choose one", path: input)
      }
      try write(model)
    }
  }

  private func write(_ loaded: LoadedModel) throws {
    let bytes: [UInt8]
    do {
      bytes = try ModelArchive.encode(loaded.model)
    } catch {
      throw Diagnostics.diagnostic(for: error, path: loaded.path)
    }
    if output == InputFile.standardInput {
      try bytes.withUnsafeBytes { try StandardOutput.write($0) }
    } else {
      try InputFile.write(bytes, to: output)
    }
  }

  private func writeBundle(_ models: [LoadedModel]) throws {
    throw Diagnostic("bundles can't be written yet", path: output)
  }

  /// What to call a version that was no bundle's: by the name of its file, or of the bundle where
  /// it came from standard input.
  private func stem(of path: String) -> String {
    let url = path == InputFile.standardInput ? outputURL : URL(fileURLWithPath: path)
    return url.deletingPathExtension().lastPathComponent
  }
}
