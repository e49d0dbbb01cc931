import CompiledModel
import Foundation
import ManagedModel

/// Turns models into the files of a `.mom` or `.momd`.
enum ModelPackaging {
  /// The stamp from which on a bundle records checksums.
  private static let firstWithChecksums = 15_00_00
  /// The stamp from which on a lone version's name is one string wherever it stands.
  private static let firstWithSharedNames = 26_01_00

  static func files(
    of models: [(name: String, model: NSManagedObjectModel)], named name: String, isFolder: Bool,
    currentVersionName: String?, stamp: CompilerStamp?, vintage: CompilerVintage
  ) throws -> CompiledFiles {
    let options = ModelArchiveOptions(
      stamp: stamp.map { .stamp($0) } ?? .omitted, vintage: .vintage(vintage))
    var files: [CompiledFiles.File] = []
    var versions: [VersionInfo.Version] = []
    for (version, model) in models {
      let file = isFolder ? "\(version).mom" : name
      files.append(
        CompiledFiles.File(name: file, bytes: try ModelArchive.encode(model, options: options)))
      guard isFolder else { continue }
      let hasChecksum = stamp.map { $0.xcodeVersion >= firstWithChecksums } ?? false
      versions.append(
        VersionInfo.Version(
          name: version, entityHashes: model.entityVersionHashesByName,
          checksum: hasChecksum ? model.versionChecksum : nil))
    }
    if isFolder {
      let order = VersionInfo.momcOrder(ofVersions: versions.map(\.name))
      var info = VersionInfo(
        versions: order.compactMap { name in versions.first { $0.name == name } },
        currentVersionName: currentVersionName)
      info.sharesVersionNames = stamp.map { $0.xcodeVersion >= firstWithSharedNames } ?? false
      files.append(CompiledFiles.File(name: "VersionInfo.plist", bytes: info.encoded()))
    }
    return CompiledFiles(name: name, isFolder: isFolder, files: files)
  }
}
