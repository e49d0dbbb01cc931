import Foundation

/// The files of a model's source: an `.xcdatamodeld` bundle with its versions, a single `.xcdatamodel`, or a bare
/// `contents` file.
///
/// ```swift
/// let package = try ModelPackage(at: URL(fileURLWithPath: "Model.xcdatamodeld"))
/// for version in package.versions {
///   print(version.name, version.name == package.currentVersionName ? "(current)" : "")
/// }
/// ```
public struct ModelPackage: Sendable {
  /// One version of a model.
  public struct Version: Sendable, Hashable {
    /// The version's name: that of its `.xcdatamodel`, without extension.
    public var name: String
    /// The file that contains the model: `contents`, or `elements` in the old format.
    public var url: URL
    /// Whether the file is the binary `elements` of Xcode 3.
    public var isLegacy: Bool
    /// The path used in diagnostics.
    public var path: String
  }

  /// The location of the source.
  public let url: URL
  /// The model's name: the bundle's, without the extension.
  public let name: String
  /// Whether this is a bundle of versions, which is compiled to a `.momd`.
  public let isVersioned: Bool
  /// The versions, sorted by name.
  public let versions: [Version]
  /// The name of the current version; nil when the bundle doesn't specify it.
  ///
  /// It is never guessed: the last version in alphabetical order is often not the current one.
  public let currentVersionName: String?
  /// Problems of the package, such as a missing current version.
  public let diagnostics: [SourceDiagnostic]

  /// The current version, or the only one; nil when there are several and none is marked.
  public var currentVersion: Version? {
    guard let currentVersionName else { return versions.count == 1 ? versions.first : nil }
    return versions.first { $0.name == currentVersionName }
  }

  /// Finds the files of a source.
  ///
  /// - Parameters:
  ///   - url: The bundle, the version or the file.
  ///   - path: The path used in diagnostics. Default: that of `url`.
  ///   - isTolerant: Whether a version without a file, a missing current version, and a damaged `.xccurrentversion` are
  ///     reported as ``diagnostics`` rather than thrown.
  /// - Throws: ``ModelSourceError`` when there is no model, or the current version is missing.
  public init(at url: URL, path: String? = nil, isTolerant: Bool = false) throws {
    let path = path ?? url.relativePath
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
      throw ModelSourceError(.document, path: path, "there is no such file")
    }
    if !isDirectory.boolValue {
      try self.init(file: url, path: path)
    } else if url.pathExtension == "xcdatamodeld" {
      try self.init(bundle: url, path: path, isTolerant: isTolerant)
    } else {
      try self.init(version: url, path: path)
    }
  }

  private init(file url: URL, path: String) throws {
    self.url = url
    let isInVersion = url.deletingLastPathComponent().pathExtension == "xcdatamodel"
    name =
      (isInVersion ? url.deletingLastPathComponent() : url)
      .deletingPathExtension().lastPathComponent
    isVersioned = false
    let isLegacy = try FileHandle(forReadingFrom: url).read(upToCount: 6) == Data("bplist".utf8)
    versions = [Version(name: name, url: url, isLegacy: isLegacy, path: path)]
    currentVersionName = nil
    diagnostics = []
  }

  private init(version url: URL, path: String) throws {
    self.url = url
    name = url.deletingPathExtension().lastPathComponent
    isVersioned = false
    versions = [try Self.version(url, path: path)]
    currentVersionName = nil
    diagnostics = []
  }

  private init(bundle url: URL, path: String, isTolerant: Bool) throws {
    self.url = url
    name = url.deletingPathExtension().lastPathComponent
    isVersioned = true
    var found: [SourceDiagnostic] = []
    /// Returns the result of `body`; if it fails and that is tolerated, the error becomes a diagnostic.
    func attempt<Result>(_ body: () throws -> Result?) throws -> Result? {
      do {
        return try body()
      } catch let error as ModelSourceError where isTolerant {
        found += error.diagnostics
        return nil
      }
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    // Names that begin with a dot are those of other systems' notes, such as macOS's `._Shop.xcdatamodel`.
    let versions = try files.filter {
      $0.hasSuffix(".xcdatamodel") && !$0.hasPrefix(".")
    }.compactMap { file in
      try attempt { try Self.version(url.appendingPathComponent(file), path: "\(path)/\(file)") }
    }
    guard !versions.isEmpty else {
      throw ModelSourceError(
        diagnostics: found + [
          SourceDiagnostic(
            .document, path: path, message: "the bundle has no .xcdatamodel inside")
        ])
    }
    let isComplete = found.isEmpty
    currentVersionName = try attempt {
      try Self.currentVersionName(in: url, path: path, among: versions.map(\.name))
    }
    if currentVersionName == nil, found.isEmpty || !isComplete, versions.count > 1 {
      found.append(
        SourceDiagnostic(
          .version, path: path,
          message: "there are \(versions.count) versions and no \(CurrentVersionFile.name);"
            + " none is taken for the current one"))
    }
    self.versions = versions
    diagnostics = found
  }

  /// The name of the current version, which must be one of the existing versions.
  private static func currentVersionName(
    in bundle: URL, path: String, among names: [String]
  ) throws -> String? {
    guard let current = try CurrentVersionFile.read(in: bundle, path: path) else { return nil }
    guard names.contains(current) else {
      let suggestion = SpellingSuggestion.nearest(to: current, among: names)
      throw ModelSourceError(
        .version, path: "\(path)/\(CurrentVersionFile.name)",
        "the current version '\(current)' is not in the bundle"
          + (suggestion.map { " (did you mean '\($0)'?)" } ?? ""))
    }
    return current
  }

  private static func version(_ url: URL, path: String) throws -> Version {
    let name = url.deletingPathExtension().lastPathComponent
    for (file, isLegacy) in [("contents", false), ("elements", true)] {
      let candidate = url.appendingPathComponent(file)
      if FileManager.default.fileExists(atPath: candidate.path) {
        return Version(name: name, url: candidate, isLegacy: isLegacy, path: "\(path)/\(file)")
      }
    }
    throw ModelSourceError(
      .document, path: path, "there is neither 'contents' nor 'elements' inside; not a data model")
  }
}

extension ModelPackage.Version {
  /// Reads the version's file; one in the format of Xcode 3 is converted to the form of `contents`.
  ///
  /// - Throws: ``ModelSourceError`` when it isn't a model.
  public func document(limits: SourceLimits = .default) throws -> SourceDocument {
    let data = Data(try limits.bytes(of: url, path: path))
    return isLegacy
      ? try LegacyModelReader.document(data: data, path: path)
      : try SourceDocument(data: data, path: path, limits: limits)
  }
}
