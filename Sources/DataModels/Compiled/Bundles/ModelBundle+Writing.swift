import Foundation
import PropertyLists

extension ModelBundle {
  /// A version to be written.
  public struct NewVersion {
    /// The version's name, which becomes its file name.
    public var name: String
    /// The model.
    public var model: NSManagedObjectModel

    /// Creates a version.
    public init(name: String, model: NSManagedObjectModel) {
      self.name = name
      self.model = model
    }
  }

  /// The first Xcode whose momc records checksums, and the first that shares the name of a single version.
  private static let firstXcode = (withChecksums: 15_00_00, sharingNames: 26_01_00)

  /// Writes a whole bundle atomically, with the bytes that momc would write: either the old bundle is unchanged, or the
  /// new one is complete.
  ///
  /// Checksums are recorded unless a model's compiler stamp is of an Xcode before 15, whose bundles have none.
  ///
  /// - Parameters:
  ///   - versions: The versions, in any order; their names must be unique.
  ///   - currentVersionName: The current version's name; `nil` to record none, which is legal for a
  ///     single version.
  ///   - path: The path to write to. An existing bundle is replaced; any other existing folder is refused.
  ///   - options: Options for the archives.
  ///   - original: Information to carry over: the order of versions, if they are the same, and unknown keys.
  /// - Throws: ``ModelFileError`` when names are invalid, a model can't be archived, or the bundle can't be written.
  public static func write(
    _ versions: [NewVersion], currentVersionName: String?, to path: String,
    options: ModelArchiveOptions = ModelArchiveOptions(), carryingOver original: VersionInfo? = nil
  ) throws(ModelFileError) {
    let files = try files(
      of: versions, currentVersionName: currentVersionName, path: path, options: options,
      carryingOver: original)
    try AtomicFolder.write(files, to: path, replacing: .compiledModel)
  }

  /// The files of a bundle: an archive for each version, and `VersionInfo.plist`.
  ///
  /// All code that writes bundles gets their files from here. The parameters are those of
  /// ``write(_:currentVersionName:to:options:carryingOver:)``; `path` is used in error messages.
  ///
  /// - Throws: ``ModelFileError`` when names are invalid, or a model can't be archived.
  package static func files(
    of versions: [NewVersion], currentVersionName: String?, path: String,
    options: ModelArchiveOptions = ModelArchiveOptions(), carryingOver original: VersionInfo? = nil
  ) throws(ModelFileError) -> [CompiledFiles.File] {
    try check(versions, current: currentVersionName, path: path)
    var info = try versionInfo(
      for: versions, newest: newestXcode(of: versions, options), original: original, path: path)
    info.currentVersionName = currentVersionName
    var files: [CompiledFiles.File] = []
    for version in versions {
      let name = version.name + ".mom"
      do {
        let bytes = try ModelArchive.encode(version.model, options: options)
        files.append(CompiledFiles.File(name: name, bytes: bytes))
      } catch {
        throw ModelFileError(error, path: "\(path)/\(name)")
      }
    }
    files.append(CompiledFiles.File(name: VersionInfo.fileName, bytes: info.encoded()))
    return files
  }

  private static func check(
    _ versions: [NewVersion], current: String?, path: String
  ) throws(ModelFileError) {
    var names = Set<String>()
    for version in versions {
      let name = version.name
      guard !name.isEmpty, !name.hasPrefix("."),
        !name.unicodeScalars.contains(where: { $0 == "/" || $0 == "\0" })
      else {
        throw ModelFileError(
          .unwritable, "'\(name)' isn't a valid version name: it must be a valid file name",
          path: path)
      }
      guard names.insert(name).inserted else {
        throw ModelFileError(.unwritable, "two versions are called '\(name)'", path: path)
      }
    }
    guard !versions.isEmpty else {
      throw ModelFileError(.unwritable, "a bundle needs a version", path: path)
    }
    if let current, !names.contains(current) {
      throw ModelFileError(
        .noSuchVersion, "no version is called '\(current)', which should be current", path: path)
    }
  }

  /// The newest Xcode that the archives will name: none for models of older compilers, and the newest known one for
  /// models created in code.
  private static func newestXcode(
    of versions: [NewVersion], _ options: ModelArchiveOptions
  ) -> Int {
    switch options.stamp {
    case .kept:
      versions.compactMap { $0.model.compilerStamp?.xcodeVersion }.max()
        ?? (versions.contains { ($0.model.compilerVintage ?? .modern) != .modern } ? 0 : .max)
    case .omitted: 0
    case .stamp(let stamp): stamp.xcodeVersion
    }
  }

  /// The version information that the new bundle records.
  private static func versionInfo(
    for versions: [NewVersion], newest: Int, original: VersionInfo?, path: String
  ) throws(ModelFileError) -> VersionInfo {
    var entries: [String: VersionInfo.Version] = [:]
    for version in versions {
      let hashes: [String: Data]
      do {
        hashes = try version.model.versionHashes()
      } catch {
        throw ModelFileError(.malformed, "\(error)", path: "\(path)/\(version.name).mom")
      }
      entries[version.name] = VersionInfo.Version(
        name: version.name, entityHashes: hashes,
        checksum: newest < firstXcode.withChecksums ? nil : VersionHashes.checksum(of: hashes))
    }
    var order = original?.versions.map(\.name) ?? []
    if Set(order) != Set(entries.keys) || order.count != entries.count {
      order = VersionInfo.momcOrder(ofVersions: versions.map(\.name))
    }
    var info = VersionInfo(versions: order.compactMap { entries[$0] }, currentVersionName: nil)
    info.sharesVersionNames = newest >= firstXcode.sharingNames
    info.source = original?.source
    info.unknownKeys = original?.unknownKeys ?? []
    return info
  }
}
