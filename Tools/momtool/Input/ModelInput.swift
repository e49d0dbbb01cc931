import DataModels
import Foundation
import ManagedObjects
import ModelSource
import PropertyLists

/// An input of a command: a model, versions of one, or a folder of such, compiled or as source.
///
/// All commands come in here: the argument is taken apart, taken out of git where it names a revision,
/// looked at, and of its versions those are read that are chosen.
struct ModelInput {
  private enum Content {
    case standardInput
    case compiled(ModelFile)
    case source(ModelPackage)
  }

  let location: InputLocation
  private let content: Content
  /// The files of a revision, which are there as long as this is.
  private let checkout: GitCheckout?

  /// Finds out what an argument names.
  ///
  /// - Throws: ``Diagnostic`` or the error of what looks at the file, when there is nothing to read.
  init(_ text: String) throws {
    let location = try InputLocation(text)
    let checkout = try location.revision.map { try GitCheckout(location.path, at: $0) }
    self.location = location
    self.checkout = checkout
    content = try Self.named(location, checkout) {
      try Self.content(at: checkout?.url.path ?? location.path)
    }
  }

  private init(_ file: ModelFile) throws {
    location = try InputLocation(file.path)
    checkout = nil
    content = .compiled(file)
  }

  private static func content(at path: String) throws -> Content {
    if path == InputFile.standardInput { return .standardInput }
    // A folder on the way may be closed to us: that is not the same as nothing being there.
    if access(path, F_OK) != 0, errno == EACCES {
      throw ModelFileError(.unreadable, "can't open it: Permission denied", path: path)
    }
    if let kind = SQLiteImage.kind(of: URL(fileURLWithPath: path)) {
      throw ModelFileError(
        .noModel, "\(kind), which keeps no copy of its model; name the model's own file",
        path: path)
    }
    let file = isBareSource(path) ? nil : try ModelFile(at: path)
    if let file, file.kind != .source { return .compiled(file) }
    return .source(
      try ModelPackage(at: URL(fileURLWithPath: path), path: path, isTolerant: true))
  }

  /// Whether a path names a source's file by itself: the `contents` of a version, under that name or,
  /// as git hands files over, under any other.
  private static func isBareSource(_ path: String) -> Bool {
    let url = URL(fileURLWithPath: path)
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
      !isDirectory.boolValue
    else { return false }
    if ["contents", "elements"].contains(url.lastPathComponent),
      url.deletingLastPathComponent().pathExtension == "xcdatamodel"
    {
      return true
    }
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    let start = String(decoding: (try? file.read(upToCount: 512)) ?? Data(), as: UTF8.self)
    return isSource(start)
  }

  /// Whether a text begins as a source does.
  private static func isSource(_ start: String) -> Bool {
    start.contains("<model ") || start.contains("<model>")
  }

  // MARK: Reading

  /// The source's files, when the input is a source in the working tree, with all its versions.
  var sourcePackage: ModelPackage? {
    guard case .source(let package) = content, location.revision == nil, location.version == nil
    else { return nil }
    return package
  }

  /// The source's files, wherever they are; those of a revision are there as long as this input.
  var package: ModelPackage? {
    guard case .source(let package) = content else { return nil }
    return package
  }

  /// What a compiled bundle records beside its models; nil for any other input.
  func bundle() throws -> ModelBundle? {
    guard case .compiled(let file) = content, file.kind == .bundle else { return nil }
    return try named { try ModelBundle(at: file.path) }
  }

  /// The names of the versions of a bundle, compiled or as source; none for any other input.
  func versionNames() throws -> [String] {
    if case .source(let package) = content {
      return package.isVersioned ? package.versions.map(\.name) : []
    }
    return try bundle()?.versionNames ?? []
  }

  /// The name of the version that is marked as current; nil when none is.
  func currentVersionName() throws -> String? {
    if case .source(let package) = content { return package.currentVersionName }
    return try? bundle()?.currentVersionName()
  }

  /// The inputs that a folder holds, each a file or a bundle; else this one.
  ///
  /// - Parameter selection: With a version's name, those are left out that have versions and none of
  ///   this name, unless none has.
  func parts(having selection: ModelFile.Selection) throws -> [ModelInput] {
    guard case .compiled(let folder) = content, folder.kind == .folder else { return [self] }
    let files = try named { try folder.modelFiles() }
    guard case .named(let name) = selection else { return try files.map { try ModelInput($0) } }
    let bundles = files.map { $0.kind == .bundle ? try? ModelBundle(at: $0.path) : nil }
    let having = zip(files, bundles).filter { $1?.versionNames.contains(name) ?? true }.map(\.0)
    guard !having.isEmpty else {
      throw ModelFileError(
        noVersion: name, among: bundles.compactMap { $0?.versionNames }.first ?? [],
        path: location.text)
    }
    return try having.map { try ModelInput($0) }
  }

  /// Reads models: of an input with versions those chosen, by the argument or else by a command.
  ///
  /// - Parameter leavingOut: told of each version of a source that can't be read; nil makes that an error.
  func models(
    _ selection: ModelFile.Selection, leavingOut: ((ModelSourceError) -> Void)? = nil
  ) throws -> [LoadedModel] {
    if case .named = selection { return try read(selection, leavingOut: leavingOut) }
    return try read(
      location.version.map { .named($0) } ?? selection, leavingOut: leavingOut)
  }

  /// Reads models, whatever version the argument names.
  func read(
    _ selection: ModelFile.Selection, leavingOut: ((ModelSourceError) -> Void)? = nil
  ) throws -> [LoadedModel] {
    var models = try named {
      switch content {
      case .standardInput:
        let bytes = try FileBytes.readStandardInput()
        if Self.isSource(String(decoding: bytes.prefix(512), as: UTF8.self)) {
          let model = try SourceReader.model(of: Data(bytes), path: location.text)
          return [LoadedModel(path: location.text, model: model)]
        }
        return [LoadedModel(path: location.text, model: try ModelFile.model(fromBytes: bytes))]
      case .compiled(let file): return try file.models(selection)
      case .source(let package):
        return try SourceReader(package).models(selection, leavingOut: leavingOut)
      }
    }
    if location.isTitle { for index in models.indices { models[index].path = location.text } }
    return models
  }

  private func named<Result>(_ body: () throws -> Result) throws -> Result {
    try Self.named(location, checkout, body)
  }

  /// Does something with the files; an error names what the user named, who knows nothing of a
  /// revision's temporary files.
  private static func named<Result>(
    _ location: InputLocation, _ checkout: GitCheckout?, _ body: () throws -> Result
  ) throws -> Result {
    try withExtendedLifetime(checkout) {
      do {
        return try body()
      } catch {
        guard let checkout else { throw error }
        let message = Diagnostics.messages(for: error, path: nil).joined(separator: "\n")
        throw Diagnostic(
          message.replacingOccurrences(of: checkout.url.path, with: location.path),
          path: location.text)
      }
    }
  }
}
