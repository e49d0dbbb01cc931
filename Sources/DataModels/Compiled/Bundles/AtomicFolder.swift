import Foundation
import PropertyLists

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes a folder of files completely or not at all.
package enum AtomicFolder {
  /// Which existing folders may be replaced: only those that contain nothing but the files that MomKit and Xcode put
  /// into such a folder.
  package enum Replacement: Sendable {
    /// None.
    case nothing
    /// A compiled model bundle, a `.momd`.
    case compiledModel
    /// A model source, an `.xcdatamodeld` or `.xcdatamodel`.
    case source

    /// Whether a folder with these contents may be replaced.
    fileprivate func allows(_ names: [String]) -> Bool {
      names.allSatisfy { name in
        if name == ".DS_Store" || name == AtomicFolder.conflictsName { return true }
        return switch self {
        case .nothing: false
        case .compiledModel: [".mom", ".omo", ".plist"].contains { name.hasSuffix($0) }
        case .source:
          name.hasSuffix(".xcdatamodel")
            || ["contents", "layout", "elements", ".xccurrentversion"].contains(name)
        }
      }
    }
  }

  /// The list of conflicts, written into the result of a merge that has some.
  package static let conflictsName = "conflicts.json"

  /// Writes all files into a new folder beside the target, flushes them to disk, and renames the folder.
  ///
  /// - Parameters:
  ///   - files: The contents of the folder; two of the same name are refused.
  ///   - path: The folder. A symbolic link is followed.
  ///   - replacement: Which existing folder may be replaced.
  /// - Throws: ``ModelFileError``; an existing folder is then unchanged.
  package static func write(
    _ files: [CompiledFiles.File], to path: String, replacing replacement: Replacement
  ) throws(ModelFileError) {
    let target: URL
    do {
      // Foundation doesn't follow a link that leads nowhere yet.
      target = URL(fileURLWithPath: try FileDraft.resolved(path)).resolvingSymlinksInPath()
    } catch {
      throw ModelFileError(writing: error, path: path)
    }
    try checkNames(of: files, path)
    let replaces = try checkTarget(target.path, of: path, for: replacement)
    let temporary = try makeFolder(beside: target, path)
    do throws(ModelFileError) {
      for file in files {
        if let slash = file.name.unicodeScalars.lastIndex(of: "/") {
          try makeSubfolder(temporary + "/" + file.name[..<slash], path)
        }
        do {
          try AtomicFile.write(file.bytes, to: temporary + "/" + file.name)
        } catch {
          throw ModelFileError(writing: error, path: path + "/" + file.name)
        }
      }
      try put(temporary, inPlaceOf: target.path, replaces: replaces, path)
    } catch {
      try? FileManager.default.removeItem(atPath: temporary)
      UnfinishedFiles.remove(temporary)
      throw error
    }
  }

  /// Checks that no file would overwrite another.
  private static func checkNames(
    of files: [CompiledFiles.File], _ path: String
  ) throws(ModelFileError) {
    var names: Set<String> = []
    for file in files where !names.insert(file.name).inserted {
      throw ModelFileError(
        .unwritable, "there are two files '\(file.name)' to write into it", path: path)
    }
  }

  /// Checks the target, and returns whether there is a folder to replace.
  private static func checkTarget(
    _ target: String, of path: String, for replacement: Replacement
  ) throws(ModelFileError) -> Bool {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: target, isDirectory: &isFolder) else {
      return false
    }
    guard isFolder.boolValue else {
      throw ModelFileError(.unwritable, "a file with this name exists", path: path)
    }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: target) else {
      throw failure("can't list the existing folder", path)
    }
    if case .nothing = replacement {
      throw ModelFileError(.unwritable, "a folder with this name exists", path: path)
    }
    guard replacement.allows(names) else {
      throw ModelFileError(
        .unwritable,
        "the existing folder contains other files than a model's versions; remove it first",
        path: path)
    }
    return true
  }

  private static func makeFolder(
    beside target: URL, _ path: String
  ) throws(ModelFileError) -> String {
    let parent = target.deletingLastPathComponent().path
    for attempt in 0..<100 {
      let name = "\(parent)/.momkit-\(getpid())-\(attempt).tmp"
      UnfinishedFiles.add(name)
      if mkdir(name, 0o777) == 0 { return name }
      let number = errno
      UnfinishedFiles.remove(name)
      errno = number
      guard number == EEXIST else { break }
    }
    throw failure("can't write to its folder", path)
  }

  private static func makeSubfolder(_ folder: String, _ path: String) throws(ModelFileError) {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw ModelFileError(.unwritable, "can't create a folder inside", path: path)
    }
  }

  private static func put(
    _ temporary: String, inPlaceOf target: String, replaces: Bool, _ path: String
  ) throws(ModelFileError) {
    flush(temporary)
    guard replaces else {
      guard rename(temporary, target) == 0 else { throw failure("can't move it into place", path) }
      UnfinishedFiles.remove(temporary)
      flush(parent(of: target))
      return
    }
    if exchange(temporary, target) {
      flush(parent(of: target))
      try? FileManager.default.removeItem(atPath: temporary)
      UnfinishedFiles.remove(temporary)
      return
    }
    // The file system can't exchange two folders atomically: move the old one aside first.
    let aside = temporary + ".old"
    let error = UnfinishedFiles.uninterrupted { () -> ModelFileError? in
      guard rename(target, aside) == 0 else { return failure("can't replace it", path) }
      guard rename(temporary, target) == 0 else {
        let error = failure("can't move it into place", path)
        rename(aside, target)
        return error
      }
      return nil
    }
    if let error { throw error }
    UnfinishedFiles.remove(temporary)
    flush(parent(of: target))
    try? FileManager.default.removeItem(atPath: aside)
  }

  /// Exchanges two folders atomically; returns false where the system or file system doesn't support it.
  private static func exchange(_ first: String, _ second: String) -> Bool {
    #if canImport(Darwin)
      return renamex_np(first, second, UInt32(RENAME_SWAP)) == 0
    #else
      // The declaration is visible only to C programs that enable GNU extensions, which Swift's module doesn't.
      typealias Function =
        @convention(c) (
          Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
        ) -> Int32
      guard let symbol = dlsym(nil, "renameat2") else { return false }
      let renameat2 = unsafeBitCast(symbol, to: Function.self)
      let exchange: UInt32 = 2
      return renameat2(AT_FDCWD, first, AT_FDCWD, second, exchange) == 0
    #endif
  }

  /// Makes changes to a folder's entries durable. Best effort, since some file systems don't support it.
  private static func flush(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private static func parent(of path: String) -> String {
    URL(fileURLWithPath: path).deletingLastPathComponent().path
  }

  private static func failure(_ what: String, _ path: String) -> ModelFileError {
    ModelFileError(.unwritable, "\(what): \(String(cString: strerror(errno)))", path: path)
  }
}
