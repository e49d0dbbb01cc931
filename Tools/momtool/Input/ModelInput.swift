import DataModels
import Foundation
import ManagedObjects
import ModelSource
import PropertyLists

/// An input of a command: a model, versions of a model, or a folder containing either, compiled or as source.
///
/// All commands use this type: the argument is parsed, extracted from git if it has a revision, examined, and the
/// selected versions are read.
struct ModelInput {
  private enum Content {
    case standardInput
    case compiled(ModelFile)
    case source(ModelPackage)
  }

  let location: InputLocation
  private let content: Content
  /// The files of a revision, or of a pipe, which exist as long as this object and those inside its folder.
  private let checkout: (any InputCopy)?

  /// Determines what an argument refers to.
  ///
  /// - Throws: ``Diagnostic`` or an error in examining the file, when there is nothing to read.
  init(_ text: String) throws {
    let location = try InputLocation(text)
    let checkout: (any InputCopy)? =
      if let revision = location.revision {
        try GitCheckout(location.path, at: revision)
      } else {
        try PipeCopy(location.path)
      }
    self.location = location
    self.checkout = checkout
    content = try Self.named(location, in: checkout) {
      try Self.content(at: checkout?.url.path ?? location.path, shown: location.shownPath)
    }
  }

  /// A file or a bundle inside a folder.
  private init(_ file: ModelFile, in folder: ModelInput) throws {
    content = .compiled(file)
    guard let whole = folder.checkout else {
      location = try InputLocation(file.path)
      checkout = nil
      return
    }
    let inside = file.path.dropFirst(whole.url.path.count).drop { $0 == "/" }
    let shown = folder.location.shownPath
    let isJoined = shown.hasSuffix("/") || shown.hasSuffix(":")
    location = try InputLocation(isJoined ? shown + inside : "\(shown)/\(inside)")
    checkout = CopiedPart(URL(fileURLWithPath: file.path), of: whole)
  }

  /// - Parameter shown: The path for diagnostics about a source.
  private static func content(at path: String, shown: String) throws -> Content {
    if path == InputFile.standardInput { return .standardInput }
    // A parent folder without access permission is not the same as a missing file.
    if access(path, F_OK) != 0, errno == EACCES {
      throw ModelFileError(.unreadable, "can't open it: Permission denied", path: path)
    }
    if let kind = SQLiteImage.kind(of: URL(fileURLWithPath: path)) {
      throw ModelFileError(
        .noModel, "\(kind), which has no copy of its model; give the model's own file",
        path: path)
    }
    let file = isBareSource(path) ? nil : try ModelFile(at: path)
    if let file, file.kind != .source { return .compiled(file) }
    return .source(
      try ModelPackage(at: URL(fileURLWithPath: path), path: shown, isTolerant: true))
  }

  /// Whether a path is that of a source's file itself: the `contents` of a version, under that name or, as git passes
  /// files, under any other.
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

  /// Whether a text begins like a source.
  private static func isSource(_ start: String) -> Bool {
    start.contains("<model ") || start.contains("<model>")
  }

  // MARK: Reading

  /// The source's files, if the input is a source in the working tree with all its versions.
  var sourcePackage: ModelPackage? {
    guard case .source(let package) = content, location.revision == nil, location.version == nil
    else { return nil }
    return package
  }

  /// The model's name, from which those of files are made: that of its file or bundle.
  var name: String {
    // What comes through a pipe has none.
    if location.path == InputFile.standardInput || checkout is PipeCopy { return "Model" }
    return URL(fileURLWithPath: location.path).deletingPathExtension().lastPathComponent
  }

  /// The source's files; those of a revision exist as long as this input.
  var package: ModelPackage? {
    guard case .source(let package) = content else { return nil }
    return package
  }

  /// The bundle, for a compiled bundle; nil for any other input.
  func bundle() throws -> ModelBundle? {
    guard case .compiled(let file) = content, file.kind == .bundle else { return nil }
    return try named { try ModelBundle(at: file.path) }
  }

  /// The names of the versions of a bundle, compiled or as source; empty for any other input.
  func versionNames() throws -> [String] {
    if case .source(let package) = content {
      return package.isVersioned ? package.versions.map(\.name) : []
    }
    return try bundle()?.versionNames ?? []
  }

  /// The name of the version marked as current; nil when there is none.
  func currentVersionName() throws -> String? {
    if case .source(let package) = content { return package.currentVersionName }
    return try? bundle()?.currentVersionName()
  }

  /// The inputs contained in a folder, each a file or a bundle; otherwise this input.
  ///
  /// - Parameter selection: If it is a version's name, inputs that have versions but not this one are omitted, unless
  ///   none has it.
  func parts(having selection: ModelFile.Selection) throws -> [ModelInput] {
    guard case .compiled(let folder) = content, folder.kind == .folder else { return [self] }
    let files = try named { try Self.namingSources(of: folder) { try folder.modelFiles() } }
    guard case .named(let name) = selection else {
      return try files.map { try ModelInput($0, in: self) }
    }
    let bundles = files.map { $0.kind == .bundle ? try? ModelBundle(at: $0.path) : nil }
    let having = zip(files, bundles).filter { $1?.versionNames.contains(name) ?? true }.map(\.0)
    guard !having.isEmpty else {
      throw ModelFileError(
        noVersion: name, among: bundles.compactMap { $0?.versionNames }.first ?? [],
        path: location.text)
    }
    return try having.map { try ModelInput($0, in: self) }
  }

  /// Reads compiled models; the error for a folder without any names a source that one may have meant.
  private static func namingSources<Result>(
    of file: ModelFile, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as ModelFileError where error.code == .noModel && file.kind == .folder {
      guard let source = ModelSearch.models(in: file.path).first else { throw error }
      throw ModelFileError(
        .noModel, "\(error.message); name a source, such as \(file.path)/\(source)", path: file.path
      )
    }
  }

  /// Reads models: for an input with versions, those selected by the argument or else by the command.
  ///
  /// - Parameter leavingOut: Called for each version of a source that can't be read; if nil, that is an error.
  func models(
    _ selection: ModelFile.Selection, leavingOut: ((ModelSourceError) -> Void)? = nil
  ) throws -> [LoadedModel] {
    if case .named = selection { return try read(selection, leavingOut: leavingOut) }
    return try read(
      location.version.map { .named($0) } ?? selection, leavingOut: leavingOut)
  }

  /// Reads models, ignoring the version selected by the argument.
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
      case .compiled(let file):
        return try Self.namingSources(of: file) { try file.models(selection) }
      case .source(let package):
        return try SourceReader(package).models(selection, leavingOut: leavingOut)
      }
    }
    if location.isTitle || checkout != nil {
      for index in models.indices { models[index].path = location.text }
    }
    return models
  }

  private func named<Result>(_ body: () throws -> Result) throws -> Result {
    try Self.named(location, in: checkout, body)
  }

  /// Performs an operation on the files; errors refer to the argument given by the user rather than to the
  /// temporary files of a revision or a pipe.
  private static func named<Result>(
    _ location: InputLocation, in checkout: (any InputCopy)?, _ body: () throws -> Result
  ) throws -> Result {
    try withExtendedLifetime(checkout) {
      do {
        return try body()
      } catch {
        // The diagnostics of sources name the argument already.
        guard let checkout, !(error is ModelSourceError) else { throw error }
        var diagnostic = Diagnostics.hinted(Diagnostics.diagnostic(for: error, path: nil))
        diagnostic.message = diagnostic.message.replacing(checkout.url.path, with: location.path)
        let inside = diagnostic.path.flatMap { path in
          path.hasPrefix(checkout.url.path) ? path.dropFirst(checkout.url.path.count) : nil
        }
        diagnostic.path = inside.map { location.shownPath + $0 } ?? location.text
        throw diagnostic
      }
    }
  }
}
