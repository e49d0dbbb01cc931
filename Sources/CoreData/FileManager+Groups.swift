#if !canImport(ObjectiveC)
  import Foundation

  extension FileManager {
    /// The folder that the programs of a group share, which is created if there is none.
    ///
    /// There are no application groups here: the folder lies in the user's application support folder, as it lies in
    /// the user's library on macOS.
    ///
    /// - Returns: nil if the folder can't be created, or the identifier isn't the name of a folder.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL?
    {
      guard !groupIdentifier.isEmpty,
        !groupIdentifier.unicodeScalars.contains(where: { $0 == "/" || $0 == "\0" }),
        ![".", ".."].contains(groupIdentifier),
        let support = urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      else { return nil }
      let folder = support.appendingPathComponent("Group Containers", isDirectory: true)
        .appendingPathComponent(groupIdentifier, isDirectory: true)
      do {
        try createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
      } catch {
        return nil
      }
    }
  }
#endif
