import Foundation

/// What a path that a user gave names.
enum InputLocation: Equatable {
  /// Standard input, given as `-`.
  case standardInput
  /// A file; what is in it, its first bytes tell.
  case file(String)
  /// A bundle of versions, `.momd`.
  case bundle(String)
  /// One version of a bundle, given as `Shop.momd/Shop 2`.
  case version(String, bundle: String)
  /// A folder, such as an `.app`, and what lies in it, by path.
  case folder([InputLocation])

  /// How deep folders are searched.
  private static let depth = 32

  /// Finds out what a path names.
  ///
  /// - Throws: ``Diagnostic`` when nothing is there, or nothing of use in a folder.
  init(_ path: String) throws {
    if path == InputFile.standardInput {
      self = .standardInput
      return
    }
    let path = path.trimmingTrailingSlashes
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard isFolder.boolValue else {
        self = .file(path)
        return
      }
      if path.pathExtension == "momd" {
        self = .bundle(path)
        return
      }
      var found: [InputLocation] = []
      try Self.search(path, depth: Self.depth, into: &found)
      guard !found.isEmpty else {
        throw Diagnostic("there is no .mom, .momd or .omo in this folder", path: path)
      }
      self = .folder(found)
    } else if let (bundle, name) = path.splitAtLastSlash, bundle.pathExtension == "momd" {
      self = .version(name, bundle: bundle)
    } else {
      throw Diagnostic("no such file or folder", path: path)
    }
  }

  /// Adds the models in a folder and the folders in it. Symbolic links are not followed.
  private static func search(
    _ folder: String, depth: Int, into found: inout [InputLocation]
  ) throws {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    } catch {
      throw Diagnostic("can't read this folder", path: folder)
    }
    for name in names {
      let path = folder == "." ? name : folder + (folder.hasSuffix("/") ? "" : "/") + name
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      switch attributes?[.type] as? FileAttributeType {
      case .typeDirectory? where path.pathExtension == "momd":
        found.append(.bundle(path))
      case .typeDirectory? where depth > 0:
        try search(path, depth: depth - 1, into: &found)
      case .typeRegular? where path.pathExtension == "mom":
        found.append(.file(path))
      case .typeRegular? where path.pathExtension == "omo":
        // The optimised form of a model that is there too says nothing new.
        if !names.contains(String(name.dropLast(3)) + "mom") { found.append(.file(path)) }
      default: break
      }
    }
  }
}

extension String {
  fileprivate var pathExtension: String { (self as NSString).pathExtension }

  fileprivate var trimmingTrailingSlashes: String {
    var text = self[...]
    while text.count > 1, text.hasSuffix("/") { text = text.dropLast() }
    return String(text)
  }

  /// The path of the folder, and the last name; `nil` when there is no folder.
  fileprivate var splitAtLastSlash: (folder: String, name: String)? {
    guard let slash = lastIndex(of: "/"), slash != startIndex else { return nil }
    return (String(self[..<slash]), String(self[index(after: slash)...]))
  }
}
