import Foundation
import PropertyLists

/// A compiled model with its versions: a folder `Shop.momd` with one file per version, and `VersionInfo.plist`.
///
/// ```swift
/// let bundle = try ModelBundle(at: "Shop.momd")
/// for name in bundle.versionNames {
///   print(name, try bundle.model(named: name).versionChecksum)
/// }
/// let current = try bundle.model()
/// ```
///
/// A version is read from its `.mom`, the complete archive, and from its `.omo` only if there is no `.mom`. (Core Data
/// prefers the `.omo`, which has the same content in a form that it loads faster.)
public struct ModelBundle: Sendable {
  /// The bundle's path.
  public let path: String
  /// The bundle's version information; `nil` if it has no such file.
  public let versionInfo: VersionInfo?
  /// The names of the versions that have a file, sorted.
  public let versionNames: [String]
  /// The versions that have a `.mom`.
  let archives: Set<String>
  /// The versions that have an `.omo`.
  let optimized: Set<String>

  /// Opens a bundle by listing its files and reading its version information. No model is read yet.
  ///
  /// - Throws: ``ModelFileError`` when the folder can't be read, or its `VersionInfo.plist` is invalid.
  public init(at path: String) throws(ModelFileError) {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      let exists = FileManager.default.fileExists(atPath: path)
      throw ModelFileError(
        exists ? .unreadable : .notFound,
        exists ? "can't list the folder" : "there is no such bundle", path: path)
    }
    func stems(_ suffix: String) -> Set<String> {
      // Names that begin with a dot are those of other systems' notes, such as macOS's `._Shop.mom`.
      Set(
        names.filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }
          .map { String($0.dropLast(suffix.count)) })
    }
    self.path = path
    archives = stems(".mom")
    optimized = stems(".omo")
    versionNames = MomcBundleOrder.sorted(Array(archives.union(optimized)))
    if let file = VersionInfo.file(in: path) {
      versionInfo = try VersionInfo(contentsOf: file)
    } else {
      versionInfo = nil
    }
  }

  /// The name of the current version: the recorded one or, if none is recorded, the only version.
  ///
  /// - Throws: ``ModelFileError`` when the bundle has no version, or several of which none is current.
  public func currentVersionName() throws(ModelFileError) -> String {
    if let name = versionInfo?.currentVersionName { return name }
    guard let only = versionNames.first else {
      throw ModelFileError(.noModel, "the bundle contains no .mom file", path: path)
    }
    guard versionNames.count == 1 else {
      throw ModelFileError(noCurrentVersionAmong: versionNames, path: path)
    }
    return only
  }

  /// The path of a version's file.
  ///
  /// - Throws: ``ModelFileError`` when the bundle has no version with this name.
  public func path(ofVersion name: String) throws(ModelFileError) -> String {
    // Only listed names become part of a path: a recorded name may be "../…", or be in another normalization form, which
    // makes it equal and yet the name of no file.
    if let listed = archives.firstIndex(of: name) {
      return PathText.joined(path, archives[listed] + ".mom")
    }
    if let listed = optimized.firstIndex(of: name) {
      return PathText.joined(path, optimized[listed] + ".omo")
    }
    guard !versionNames.isEmpty else {
      throw ModelFileError(.noSuchVersion, "the bundle contains no .mom file", path: path)
    }
    throw ModelFileError(noVersion: name, among: versionNames, path: path)
  }

  /// Reads a version.
  ///
  /// - Parameters:
  ///   - name: The version's name; `nil` for the current one.
  ///   - limits: The limits above which a file is refused.
  /// - Throws: ``ModelFileError`` when there is no such version, or it can't be read.
  public func model(
    named name: String? = nil, limits: ArchiveLimits = .default
  ) throws(ModelFileError) -> NSManagedObjectModel {
    try loadedModel(named: name, limits: limits).model
  }

  func loadedModel(
    named name: String?, limits: ArchiveLimits
  ) throws(ModelFileError) -> LoadedModel {
    let version: String
    if let name { version = name } else { version = try currentVersionName() }
    let path = try path(ofVersion: version)
    let model = try ModelFile.readModel(at: path, limits: limits)
    if let recorded = versionInfo?.version(named: version) { model.record(recorded.entityHashes) }
    return LoadedModel(path: path, version: version, model: model)
  }
}
