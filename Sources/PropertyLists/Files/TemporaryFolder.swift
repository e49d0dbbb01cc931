import Foundation

/// A private folder that is removed with its object: either in the system's folder for temporary files, or hidden
/// beside the location its contents are intended for.
///
/// Creating one also removes folders left behind by killed processes of the same user. A folder's name contains its
/// process's number. It is also locked as long as the process uses it, because process numbers are not unique across
/// containers.
package final class TemporaryFolder: Sendable {
  /// The folder's location.
  package let url: URL
  /// Locked as long as the folder is in use; negative where the file system has no locks.
  private let descriptor: Int32

  /// Creates a folder for temporary files.
  ///
  /// - Throws: Any error of the file system.
  package convenience init() throws {
    try self.init(in: FileManager.default.temporaryDirectory, prefix: "momkit-", suffix: "")
  }

  /// Creates a hidden folder beside a location.
  ///
  /// - Throws: Any error of the file system.
  package convenience init(beside place: URL) throws {
    try self.init(in: place.deletingLastPathComponent(), prefix: ".momkit-", suffix: ".tmp")
  }

  private init(in parent: URL, prefix: String, suffix: String) throws {
    Self.removeForsaken(in: parent, prefix: prefix, suffix: suffix)
    url = parent.appendingPathComponent("\(prefix)\(getpid())-\(UUID().uuidString)\(suffix)")
    UnfinishedFiles.add(url.path)
    // The contents are private, regardless of the permissions of the parent folder.
    guard mkdir(url.path, 0o700) == 0 else {
      let error = FileBytes.failure("can't create a folder in \(parent.path)")
      UnfinishedFiles.remove(url.path)
      throw error
    }
    descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor >= 0 { _ = flock(descriptor, LOCK_EX | LOCK_NB) }
  }

  deinit { remove() }

  private func remove() {
    try? FileManager.default.removeItem(at: url)
    UnfinishedFiles.remove(url.path)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Moves the folder's contents into its parent folder, the named item last. Nothing is replaced.
  ///
  /// - Parameters:
  ///   - last: The name of the item to which the others belong.
  ///   - companions: Suffixes of that name: items that would belong to it must not exist in the parent folder either.
  /// - Throws: `PropertyListError` when an item of the same name exists or an item can't be moved; nothing has been
  ///   moved then.
  package func moveContents(last: String, companions: [String] = []) throws {
    let parent = url.deletingLastPathComponent()
    var names = try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0 != last }
    names.append(last)
    try requireAbsence(of: names + companions.map { last + $0 })
    let error = UnfinishedFiles.uninterrupted { () -> PropertyListError? in
      for (index, name) in names.enumerated() {
        let target = parent.appendingPathComponent(name).path
        guard rename(url.appendingPathComponent(name).path, target) != 0 else { continue }
        let error = FileBytes.failure("can't move it into place")
        for moved in names[..<index] {
          rename(
            parent.appendingPathComponent(moved).path, url.appendingPathComponent(moved).path)
        }
        return error
      }
      return nil
    }
    if let error { throw error }
  }

  /// Checks that the folder's parent has no items of some names.
  ///
  /// - Throws: `PropertyListError` when it has one.
  package func requireAbsence(of names: [String]) throws {
    let parent = url.deletingLastPathComponent()
    for name in names where Self.isThere(parent.appendingPathComponent(name).path) {
      throw PropertyListError(.unreadableFile, "the file already exists: \(name)")
    }
  }

  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  // MARK: What others left

  private static func removeForsaken(in parent: URL, prefix: String, suffix: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
    for name in names where isForsaken(name, prefix: prefix, suffix: suffix) {
      let path = parent.appendingPathComponent(name).path
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
      else { continue }
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// Whether a name is that of a temporary folder whose process no longer exists.
  private static func isForsaken(_ name: String, prefix: String, suffix: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
    let parts = name.dropFirst(prefix.count).dropLast(suffix.count).split(
      separator: "-", maxSplits: 1)
    guard parts.count == 2, let process = pid_t(parts[0]), process > 0,
      UUID(uuidString: String(parts[1])) != nil
    else { return false }
    return kill(process, 0) != 0 && errno == ESRCH
  }
}
