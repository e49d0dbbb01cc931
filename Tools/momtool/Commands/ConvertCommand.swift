import ArgumentParser
import DataModels
import Foundation
import ModelEvolution

/// `momtool convert`: writes a model in another format.
struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Writes a model in another form: compiled or as source, one version or all.",
    discussion: """
      The model is read and written anew. A compiled model gets the bytes that momc would write, \
      regardless of the order in the input, in the vintage of the input, whose stamp is kept.

      The extension of OUTPUT determines the format: .mom and .xcdatamodel hold one model, .momd and \
      .xcdatamodeld all versions. If only one of several versions is written, it is the current one, \
      or the one given with --version. An OUTPUT of - writes a .mom to standard output.

      An existing bundle is replaced if the new one has all its versions. One with other versions is \
      left unchanged, unless --force is given.

      EXAMPLES
        momtool convert Shop.sqlite Shop.mom
        momtool convert Old.momd New.momd
        momtool convert Shop.momd --version 'Shop 2' Shop2.mom
        momtool convert Shop.momd Shop.xcdatamodeld
      """)

  @Argument(help: "The model; - for standard input.", completion: .file())
  var input: String

  @Argument(help: "The file or bundle to write; - for standard output.", completion: .file())
  var output: String

  @Option(help: ArgumentHelp("Write this version of a bundle.", valueName: "name"))
  var version: String?

  @Flag(
    help: "Replace the input itself, when OUTPUT names it, and drop versions that it lacks.")
  var force = false

  private var outputURL: URL { URL(fileURLWithPath: output) }

  func validate() throws {
    guard output != InputFile.standardInput else { return }
    guard (try? ModelOutput(output)) != nil else {
      throw ValidationError(
        "OUTPUT must end in .mom, .momd, .xcdatamodel or .xcdatamodeld, or be -.")
    }
    guard force || outputURL.standardizedFileURL != URL(fileURLWithPath: input).standardizedFileURL
    else {
      throw ValidationError("OUTPUT is the input itself; give --force to replace it.")
    }
  }

  func run() throws {
    try InputReader.reported(input) { try convert(HistoryInput(input)) }
  }

  private func convert(_ input: HistoryInput) throws {
    if output == InputFile.standardInput {
      let bytes = try ModelArchive.encode(input.version(named: version).model)
      return try bytes.withUnsafeBytes { try StandardOutput.write($0) }
    }
    var target = try ModelOutput(output)
    target.original = input.versionInfo
    let isWhole = version == nil && !input.isSingle && target.form.holdsVersions
    let history =
      isWhole
      ? input.history
      : try ModelHistory(
        [input.version(named: version)].map { ($0.name, $0.model) }, currentVersionName: nil)
    if target.form.holdsVersions { try checkReplaced(by: history.versions) }
    try target.write(history, conflicts: nil)
  }

  /// Refuses to replace a bundle with versions that the new one lacks.
  private func checkReplaced(by versions: [ModelHistory.Version]) throws {
    guard !force, let names = try? FileManager.default.contentsOfDirectory(atPath: output) else {
      return
    }
    let suffixes = [".mom", ".omo", ".xcdatamodel"]
    let kept = Set(versions.map(\.name))
    let lost = Set(
      names.compactMap { name in
        suffixes.first { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) }
      }
    ).subtracting(kept).sorted()
    guard !lost.isEmpty else { return }
    throw Diagnostic(
      "it has versions that would be dropped: "
        + ModelFileError.listed(lost)
        + "; remove it first, or give --force",
      path: output)
  }

}
