import Foundation
import PropertyLists

extension ModelBundle {
  /// Compares every version with what the bundle records about it: files, entity hashes, checksums.
  ///
  /// - Parameter limits: The limits above which a version's file is refused.
  /// - Returns: The differences, ordered by version and entity name; empty if the bundle is consistent.
  public func verify(limits: ArchiveLimits = .default) -> [HashDifference] {
    guard let versionInfo, !versionInfo.versions.isEmpty else {
      return [HashDifference(.nothingRecorded)] + unreadableVersions(limits)
    }
    var differences: [HashDifference] = []
    let files = Set(versionNames)
    if let current = versionInfo.currentVersionName, !files.contains(current) {
      differences.append(HashDifference(.missingCurrentVersion, version: current))
    }
    let recorded = Dictionary(
      versionInfo.versions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for name in MomcBundleOrder.sorted(Array(files.union(recorded.keys))) {
      switch (files.contains(name), recorded[name]) {
      case (false, _): differences.append(HashDifference(.missingVersion, version: name))
      case (true, nil): differences.append(HashDifference(.unrecordedVersion, version: name))
      case (true, let recorded?): differences += self.differences(of: recorded, limits)
      }
    }
    return differences
  }

  private func differences(
    of recorded: VersionInfo.Version, _ limits: ArchiveLimits
  ) -> [HashDifference] {
    let computed: [String: Data]
    do {
      computed = try model(named: recorded.name, limits: limits).versionHashes()
    } catch {
      return [
        HashDifference(.unreadableVersion, version: recorded.name, computed: "\(error)")
      ]
    }
    var differences = HashDifference.differences(
      recorded: recorded.entityHashes, computed: computed, version: recorded.name)
    let checksum = VersionHashes.checksum(of: computed)
    if let recordedChecksum = recorded.checksum, recordedChecksum != checksum {
      differences.append(
        HashDifference(
          .checksum, version: recorded.name, recorded: recordedChecksum, computed: checksum))
    }
    return differences
  }

  private func unreadableVersions(_ limits: ArchiveLimits) -> [HashDifference] {
    versionNames.compactMap { name in
      do {
        _ = try model(named: name, limits: limits)
        return nil
      } catch {
        return HashDifference(.unreadableVersion, version: name, computed: "\(error)")
      }
    }
  }
}
