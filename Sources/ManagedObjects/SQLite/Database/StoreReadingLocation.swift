import CSQLite
import Foundation
import PropertyLists

/// The arguments for opening a file with SQLite according to the plan.
struct StoreReadingLocation: Sendable {
  /// The plan that was carried out.
  let plan: StoreReadingPlan
  /// A path, or a URI if ``flags`` say so.
  let name: String
  /// SQLite's flags for opening.
  let flags: Int32
  /// The folder of a private copy, which is removed with this object; keep it until the connection is closed.
  let temporaryFolder: TemporaryFolder?

  /// Determines how to read a file, and creates the private copy if needed.
  ///
  /// - Throws: ``PropertyListError`` if the file can't be read or copied.
  init(_ path: String) throws(PropertyListError) {
    let path = FileBytes.resolvingLinks(path)
    for _ in 0..<Self.attempts {
      let plan = try StoreReadingPlan(for: path)
      switch plan {
      case .shared:
        (self.plan, name, flags, temporaryFolder) = (plan, path, SQLITE_OPEN_READONLY, nil)
        return
      case .immutable:
        (self.plan, name) = (plan, Self.immutableURI(path))
        (flags, temporaryFolder) = (SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
        return
      case .copy(let companions):
        func states() -> [FileState?] {
          ([""] + companions).map { FileState(URL(fileURLWithPath: path + $0)) }
        }
        let before = states()
        let copy: (folder: TemporaryFolder, file: URL)
        do { copy = try Self.privateCopy(of: path, companions: companions) } catch {
          // A writer that came meanwhile may have removed a part.
          if states() != before { continue }
          throw error
        }
        // Copied while a program wrote, the parts wouldn't belong together.
        guard states() == before, !StoreReadingPlan.hasWriter(path) else { continue }
        // Writable, because a hot journal must be rolled back; this only affects the copy.
        (self.plan, name, flags) = (plan, copy.file.path, SQLITE_OPEN_READWRITE)
        temporaryFolder = copy.folder
        return
      }
    }
    throw PropertyListError(
      .unreadableFile,
      "another program writes to it so often that no copy of it could be made; try again")
  }

  /// How often a copy is begun anew because the file was written meanwhile.
  private static var attempts: Int { 20 }

  /// Called by the connection when it closes; keeps the private copy until then.
  func cleanUp() { withExtendedLifetime(temporaryFolder) {} }

  private static func immutableURI(_ path: String) -> String {
    var allowed = CharacterSet.urlPathAllowed
    allowed.remove(charactersIn: "?#%")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    return "file:\(escaped)?immutable=1&mode=ro"
  }

  private static func privateCopy(
    of path: String, companions: [String]
  ) throws(PropertyListError) -> (folder: TemporaryFolder, file: URL) {
    let files = FileManager.default
    do {
      let folder = try TemporaryFolder()
      let copy = folder.url.appendingPathComponent("copy.sqlite")
      for suffix in [""] + companions {
        // A link would be copied as one, and what is done to the copy would be done to the original.
        let original = FileBytes.resolvingLinks(path + suffix)
        try files.copyItem(atPath: original, toPath: copy.path + suffix)
        // The original may be write-protected; the copy must be writable.
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path + suffix)
      }
      return (folder, copy)
    } catch {
      throw PropertyListError(
        .unreadableFile,
        "its unmerged content needs a private copy, which failed: "
          + ((error as? PropertyListError)?.message ?? error.localizedDescription))
    }
  }
}
