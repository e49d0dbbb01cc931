import Foundation
import PropertyLists

/// A compiled model with its versions: a folder `Shop.momd` of one file a version, and
/// `VersionInfo.plist`.
///
/// ```swift
/// let bundle = try ModelBundle(at: "Shop.momd")
/// for name in bundle.versionNames {
///   print(name, try bundle.model(named: name).versionChecksum)
/// }
/// let current = try bundle.model()
/// ```
///
/// A version is read from its `.mom`, the complete archive; from its `.omo` only where the `.mom` is
/// missing. (Core Data prefers the `.omo`, which holds the same in a form that is faster for it.)
public struct ModelBundle: Sendable {
  /// The bundle's path.
  public let path: String
  /// What the bundle records about its versions; `nil` when it has no such file.
  public let versionInfo: VersionInfo?
  /// The names of the versions that have a file, in order.
  public let versionNames: [String]
  /// The versions that have a `.mom`.
  let archives: Set<String>
  /// The versions that have an `.omo`.
  let optimized: Set<String>

  /// Opens a bundle: lists its files, and reads what it records. No model is read yet.
  ///
  /// - Throws: ``ModelFileError`` when the folder can't be read, or its `VersionInfo.plist` is not
  ///   sound.
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
      Set(names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) })
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

  /// The name of the current version: the one recorded, or where none is, that of the only one.
  ///
  /// - Throws: ``ModelFileError`` when the bundle holds no version, or several and none is current.
  public func currentVersionName() throws(ModelFileError) -> String {
    if let name = versionInfo?.currentVersionName { return name }
    guard let only = versionNames.first else {
      throw ModelFileError(.noModel, "the bundle holds no .mom file", path: path)
    }
    guard versionNames.count == 1 else {
      throw ModelFileError(noCurrentVersionAmong: versionNames, path: path)
    }
    return only
  }

  /// The path of a version's file.
  ///
  /// - Throws: ``ModelFileError`` when the bundle has no version of this name.
  public func path(ofVersion name: String) throws(ModelFileError) -> String {
    // Only names that were listed are put into a path: a recorded name may be "../…".
    if archives.contains(name) { return PathText.joined(path, name + ".mom") }
    if optimized.contains(name) { return PathText.joined(path, name + ".omo") }
    guard !versionNames.isEmpty else {
      throw ModelFileError(.noSuchVersion, "the bundle holds no .mom file", path: path)
    }
    throw ModelFileError(noVersion: name, among: versionNames, path: path)
  }

  /// Reads a version.
  ///
  /// - Parameters:
  ///   - name: The version's name; `nil` for the current one.
  ///   - limits: What to refuse as too large or too deep.
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
    return LoadedModel(path: path, version: version, model: model)
  }
}
