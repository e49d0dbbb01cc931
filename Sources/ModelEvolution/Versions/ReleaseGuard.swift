import DataModels

/// Compares a bundle with its released state, and finds changes to released versions that are not allowed.
///
/// ```swift
/// let findings = ReleaseGuard(released: shipped, now: edited).findings
/// ```
///
/// A shipped version is frozen: stores on users' devices carry its hashes, and a store whose version is missing from
/// all bundles can't be opened or migrated.
public struct ReleaseGuard: Sendable {
  /// The findings, in the order of versions.
  public let findings: [GuardFinding]

  /// Compares a bundle with its released state.
  ///
  /// - Parameters:
  ///   - released: The bundle as it was released.
  ///   - now: The bundle as it is now.
  ///   - isStrict: Whether to include changes that no hash covers (defaults, delete rules, user info).
  public init(released: VersionedModel, now: VersionedModel, isStrict: Bool = false) {
    var findings: [GuardFinding] = []
    let releasedNames = Set(released.versions.map(\.name))
    var unclaimed = now.versions.filter { !releasedNames.contains($0.name) }
    let changes = Self.changes(released, now, isStrict: isStrict)
    for version in released.versions {
      if let found = changes[version.name] {
        findings += found
      } else if let index = unclaimed.firstIndex(where: { Self.isSame($0.model, version.model) }) {
        let found = unclaimed.remove(at: index)
        findings.append(
          GuardFinding(
            .versionRenamed, version: version.name,
            "the released version \(version.name) is now called \(found.name)"))
      } else {
        findings.append(
          GuardFinding(
            .versionRemoved, version: version.name,
            "the released version \(version.name) is gone; stores created with it can't be migrated"
          ))
      }
    }
    findings += Self.currentVersionFindings(released, now, new: unclaimed)
    self.findings = findings
  }

  private static func isSame(_ one: NSManagedObjectModel, _ other: NSManagedObjectModel) -> Bool {
    one.entityVersionHashesByName == other.entityVersionHashesByName
  }

  /// The changes to the remaining versions, by version name.
  private static func changes(
    _ released: VersionedModel, _ now: VersionedModel, isStrict: Bool
  ) -> [String: [GuardFinding]] {
    let kept = released.versions.compactMap { version in
      now[version.name].map { (version, $0.model) }
    }
    // If both are the same model object, nothing has changed.
    let pairs = kept.filter { $0.model !== $1 }
    let models = pairs.flatMap { [ObjectIdentifier($0.model), ObjectIdentifier($1)] }
    // A model must be read by a single thread, so versions that share one are compared sequentially.
    let found =
      Set(models).count == models.count
      ? pairs.concurrentMap { changes(of: $0, to: $1, isStrict: isStrict) }
      : pairs.map { changes(of: $0, to: $1, isStrict: isStrict) }
    var findings = Dictionary(
      kept.map { ($0.0.name, [GuardFinding]()) }, uniquingKeysWith: { first, _ in first })
    for (pair, changes) in zip(pairs, found) { findings[pair.0.name] = changes }
    return findings
  }

  private static func changes(
    of version: VersionedModel.Version, to model: NSManagedObjectModel, isStrict: Bool
  ) -> [GuardFinding] {
    if !isStrict && isSame(version.model, model) { return [] }
    let difference = ModelDifference(from: version.model, to: model)
    return difference.changes.filter { isStrict || $0.changesHash }.map { change in
      GuardFinding(
        .versionChanged, version: version.name, path: change.path,
        "the released version \(version.name) was changed: \(change.sentence)")
    }
  }

  private static func currentVersionFindings(
    _ released: VersionedModel, _ now: VersionedModel, new: [VersionedModel.Version]
  ) -> [GuardFinding] {
    guard let current = now.currentVersionName else {
      guard now.versions.count > 1 else { return [] }
      return [
        GuardFinding(
          .noCurrentVersion, version: now.latestVersion?.name ?? "",
          "no version is marked as current")
      ]
    }
    var findings: [GuardFinding] = []
    if let before = released.currentVersionName, before != current,
      released[current] != nil, VersionName.precedes(current, before)
    {
      findings.append(
        GuardFinding(
          .currentMovedBack, version: current,
          "the current version moved back from \(before) to \(current)"))
    }
    if let newest = new.last, newest.name != current {
      findings.append(
        GuardFinding(
          .newVersionNotCurrent, version: newest.name,
          "the new version \(newest.name) is not the current one (\(current) is)"))
    }
    return findings
  }
}
