import Foundation

/// A folder of one's own that goes with the object: in the system's folder for temporary files, or hidden beside the
/// place that its contents are for.
///
/// Whoever makes one removes those that processes of the same user left which were killed: their names have the
/// process's number, and as long as a process has the folder it is locked, since another container's processes have
/// numbers of their own.
package final class TemporaryFolder: Sendable {
  /// Where it is.
  package let url: URL
  /// Locked, as long as the folder is somebody's; negative where the file system has no locks.
  private let descriptor: Int32

  /// Makes a folder for temporary files.
  ///
  /// - Throws: what the file system throws.
  package convenience init() throws {
    try self.init(in: FileManager.default.temporaryDirectory, prefix: "momkit-", suffix: "")
  }

  /// Makes a hidden folder beside a place.
  ///
  /// - Throws: what the file system throws.
  package convenience init(beside place: URL) throws {
    try self.init(in: place.deletingLastPathComponent(), prefix: ".momkit-", suffix: ".tmp")
  }

  private init(in parent: URL, prefix: String, suffix: String) throws {
    Self.removeForsaken(in: parent, prefix: prefix, suffix: suffix)
    url = parent.appendingPathComponent("\(prefix)\(getpid())-\(UUID().uuidString)\(suffix)")
    UnfinishedFiles.add(url.path)
    do {
      // What is in it is nobody else's to read, whoever may look into the folder around it.
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
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

  /// Moves what is in the folder out of it, to where the folder is beside; what is named last goes last. Nothing is
  /// replaced.
  ///
  /// - Parameter last: the name of what the others belong to.
  /// - Throws: `PropertyListError` when something of the name is there, or can't be moved; nothing was moved then.
  package func moveContents(last: String) throws {
    let parent = url.deletingLastPathComponent()
    var names = try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0 != last }
    names.append(last)
    for name in names where Self.isThere(parent.appendingPathComponent(name).path) {
      throw PropertyListError(.unreadableFile, "there is a file already: \(name)")
    }
    let error = UnfinishedFiles.uninterrupted { () -> PropertyListError? in
      for (index, name) in names.enumerated() {
        let target = parent.appendingPathComponent(name).path
        guard rename(url.appendingPathComponent(name).path, target) != 0 else { continue }
        let error = FileBytes.failure("can't put it in place")
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

  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  // MARK: What others left

  private static func removeForsaken(in parent: URL, prefix: String, suffix: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
    for name in names where isForsaken(name, prefix, suffix) {
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

  /// Whether a name is of such a folder, and of a process that is no more.
  private static func isForsaken(_ name: String, _ prefix: String, _ suffix: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
    let parts = name.dropFirst(prefix.count).dropLast(suffix.count).split(
      separator: "-", maxSplits: 1)
    guard parts.count == 2, let process = pid_t(parts[0]), process > 0,
      UUID(uuidString: String(parts[1])) != nil
    else { return false }
    return kill(process, 0) != 0 && errno == ESRCH
  }
}
