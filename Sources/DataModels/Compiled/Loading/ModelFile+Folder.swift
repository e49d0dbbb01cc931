import Foundation

extension ModelFile {
  /// The number of folder entries examined before a folder is considered too large.
  static let folderEntryLimit = 1_000_000
  /// The depth to which folders are searched.
  static let folderDepthLimit = 64

  /// The files and bundles to read models from: the file itself, or all those inside a folder.
  ///
  /// A folder is searched recursively for `.momd` bundles, and for `.mom` and `.omo` files outside bundles; an `.omo`
  /// is ignored if a `.mom` with the same name is beside it. Symbolic links inside the folder aren't followed, since
  /// bundles may link to themselves. Stores and sources inside a folder are ignored, and so are models whose names begin
  /// with a dot, such as `._Shop.mom`, which macOS leaves beside `Shop.mom`.
  ///
  /// - Returns: The files in the order of their paths, which begin with the folder's path.
  /// - Throws: ``ModelFileError`` when a folder can't be read, or contains no model.
  public func modelFiles() throws(ModelFileError) -> [ModelFile] {
    guard kind == .folder else { return [self] }
    var search = FolderSearch(root: path)
    let found = try search.run { _ in true }
    guard !found.isEmpty else {
      throw ModelFileError(
        .noModel, "the folder contains no compiled model (.momd, .mom or .omo)", path: path)
    }
    return found
  }

  /// The model files among a bundle's resources: in the folder itself, and in resource folders inside it, such as those
  /// that SwiftPM places beside an executable. Empty if the folder can't be read.
  static func modelFiles(amongResources folder: String) -> [ModelFile] {
    var search = FolderSearch(root: folder)
    return (try? search.run { $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") }) ?? []
  }

  /// The model files in a folder itself. Empty if the folder can't be read.
  static func modelFiles(directlyIn folder: String) -> [ModelFile] {
    var search = FolderSearch(root: folder)
    return (try? search.run { _ in false }) ?? []
  }

  /// The model files that belong to a program: those in its folder, and those in the resource folders beside it of the best
  /// rank that has any. Others are those of packages that were built together with it, and of their tests.
  static func modelFiles(ofProgram program: String, in folder: String) -> [ModelFile] {
    let own = modelFiles(directlyIn: folder)
    for rank in ResourceFolders(in: [URL(fileURLWithPath: folder)], program: program).ranks {
      let found = rank.flatMap { modelFiles(directlyIn: $0.path) }
      if !found.isEmpty { return own + found }
    }
    return own
  }
}

/// A bounded traversal of a folder, without recursion.
private struct FolderSearch {
  let root: String
  private var found: [ModelFile] = []
  private var pending: [(path: String, depth: Int)] = []
  private var entries = 0

  init(root: String) {
    self.root = root
  }

  /// Searches the folder, descending into folders whose names are accepted.
  mutating func run(
    following isFollowed: (String) -> Bool
  ) throws(ModelFileError) -> [ModelFile] {
    pending = [(root, 0)]
    while let (folder, depth) = pending.popLast() {
      try look(into: folder, depth: depth, following: isFollowed)
    }
    return found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  private mutating func look(
    into folder: String, depth: Int, following isFollowed: (String) -> Bool
  ) throws(ModelFileError) {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw ModelFileError(.unreadable, "can't list the folder", path: folder)
    }
    entries += names.count
    guard entries <= ModelFile.folderEntryLimit, depth <= ModelFile.folderDepthLimit else {
      throw ModelFileError(
        .limitExceeded,
        "the folder is too large to be searched (\(ModelFile.folderEntryLimit) entries,"
          + " \(ModelFile.folderDepthLimit) levels at most); name the model itself",
        path: root)
    }
    let all = Set(names)
    for name in names {
      let path = PathText.joined(folder, name)
      let url = URL(fileURLWithPath: name)
      let stem = url.deletingPathExtension().lastPathComponent
      switch url.pathExtension {
      case _ where name.hasPrefix(".") && ["momd", "mom", "omo"].contains(url.pathExtension): break
      case "momd": found.append(ModelFile(path: path, kind: .bundle))
      case "mom": found.append(ModelFile(path: path, kind: .compiledModel))
      case "omo" where !all.contains(stem + ".mom"):
        found.append(ModelFile(path: path, kind: .optimizedModel))
      case "omo", "xcdatamodeld", "xcdatamodel": break
      default:
        if isFollowed(name), Self.isRealFolder(path) { pending.append((path, depth + 1)) }
      }
    }
  }

  private static func isRealFolder(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.type] as? FileAttributeType == .typeDirectory
  }
}

/// Paths as texts, kept as users gave them.
enum PathText {
  /// A name inside a folder, whose path may end in a slash as shells complete it.
  static func joined(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}
