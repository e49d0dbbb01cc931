import BinaryPlist
import CompiledModel
import KeyedArchive
import ManagedModel

/// Finds and reads the models that a command's arguments name.
///
/// An input that can't be read is reported, and the others are read all the same; ``finish()``
/// then ends the command with the status for trouble.
struct InputReader {
  private var failed = false

  /// The models at one input; those that can't be read are reported and left out.
  ///
  /// - Parameters:
  ///   - path: a file, a bundle, a version in a bundle (`Shop.momd/Shop 2`), a folder, or `-`.
  ///   - selection: which versions of a bundle to read.
  mutating func models(at path: String, _ selection: ModelFile.Selection) -> [LoadedModel] {
    if path == InputFile.standardInput {
      return attempt(path) { [try Self.standardInputModel()] } ?? []
    }
    guard let (files, selection) = attempt(path, { try Self.files(at: path, selection) }) else {
      return []
    }
    return files.flatMap { file in
      attempt(file.path) { try file.models(selection) } ?? []
    }
  }

  /// Does something with an input, and reports the error it throws.
  mutating func attempt<Result>(_ path: String, _ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      Diagnostics.report(error, path: path)
      failed = true
      return nil
    }
  }

  /// Ends the command when an input failed.
  ///
  /// - Throws: the status for trouble.
  func finish() throws {
    if failed { throw ExitStatus.trouble }
  }

  /// The files to read, and which of their versions: a path into a bundle names both.
  private static func files(
    at path: String, _ selection: ModelFile.Selection
  ) throws -> ([ModelFile], ModelFile.Selection) {
    do {
      return (try ModelFile(at: path).modelFiles(), selection)
    } catch  where error.code == .notFound {
      guard let (folder, name) = path.splitAtLastSlash,
        let bundle = try? ModelFile(at: folder), bundle.kind == .bundle
      else { throw error }
      return ([bundle], .named(name))
    }
  }

  private static func standardInputModel() throws -> LoadedModel {
    let bytes = try FileBytes.readStandardInput()
    switch ModelFile.kind(ofBytes: bytes) {
    case .compiledModel?:
      return LoadedModel(path: InputFile.standardInput, model: try ModelArchive.decode(bytes))
    case .store?:
      throw Diagnostic(
        "a store can't be read from standard input: give its path", path: InputFile.standardInput)
    default:
      throw Diagnostic("this is no compiled model", path: InputFile.standardInput)
    }
  }
}

extension String {
  /// The folder and the last name of a path, without trailing slashes; `nil` for a name alone.
  fileprivate var splitAtLastSlash: (folder: String, name: String)? {
    var path = self[...]
    while path.hasSuffix("/") { path = path.dropLast() }
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }
}
