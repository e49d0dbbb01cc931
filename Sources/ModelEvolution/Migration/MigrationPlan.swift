import DataModels

/// How the stores of every other version are migrated to the current one: directly, or in stages.
///
/// ```swift
/// let plan = try MigrationPlan(for: history)
/// for route in plan.routes { print(route.from, route.to, route.verdict.outcome.rawValue) }
/// for stage in plan.stages { print(stage) }
/// ```
public struct MigrationPlan: Sendable {
  /// The verdict on migrating from one version to another.
  public struct Route: Sendable {
    /// The version that stores were created with.
    public let from: String
    /// The version that stores are migrated to.
    public let to: String
    /// The verdict on the migration.
    public let verdict: MigrationVerdict
  }

  /// A stage of a staged migration.
  public enum Stage: Hashable, Sendable {
    /// An inferred migration through the versions with these checksums, for `NSLightweightMigrationStage`.
    case lightweight(versions: [String], checksums: [String])
    /// A migration by a custom handler, for `NSCustomMigrationStage`.
    case custom(from: String, to: String)
  }

  /// The routes from every other version directly to the current one, older versions first. Versions whose name sorts
  /// after the current one's are included, since stores of them may exist.
  public let routes: [Route]
  /// The steps from each version to the next, if stages are needed; otherwise empty.
  public let steps: [Route]
  /// The stages that migrate every version to the current one; empty when inference suffices.
  public let stages: [Stage]

  /// Creates a plan for a history.
  ///
  /// - Throws: `EvolutionError` with `.unknownVersion` when there is no current version.
  public init(for history: VersionedModel) throws {
    guard let current = history.currentVersion else {
      throw EvolutionError(
        .unknownVersion,
        "no version is marked as current, or the marked one doesn't exist; specify one")
    }
    let older = history.versions.prefix { $0.name != current.name }
    let path = Array(older) + [current]
    let all = path + history.versions.dropFirst(path.count)
    let sequence = OutlineSequence(all.map(\.model))
    let contents = sequence.visibleProperties()
    let hashes = sequence.hashes
    @Sendable func route(_ from: Int, _ to: Int) -> Route {
      Route(
        from: all[from].name, to: all[to].name,
        verdict: MigrationVerdict(
          from: contents[from], to: contents[to], hashesAreEqual: hashes[from] == hashes[to]))
    }
    let last = older.count
    routes = all.indices.filter { $0 != last }.concurrentMap { route($0, last) }
    let needsStages = routes.contains { $0.verdict.outcome == .impossible }
    steps = needsStages ? older.indices.concurrentMap { route($0, $0 + 1) } : []
    stages = needsStages ? Self.stages(steps, path) : []
  }

  /// Combines runs of inferable steps into lightweight stages, with a custom stage for each other step.
  private static func stages(_ steps: [Route], _ path: [VersionedModel.Version]) -> [Stage] {
    var stages: [Stage] = []
    var run: [VersionedModel.Version] = path.first.map { [$0] } ?? []
    func close() {
      if !run.isEmpty {
        stages.append(
          .lightweight(versions: run.map(\.name), checksums: run.map(\.model.versionChecksum)))
      }
    }
    for (index, step) in steps.enumerated() {
      if step.verdict.outcome == .impossible {
        close()
        stages.append(.custom(from: step.from, to: step.to))
        run = []
      }
      run.append(path[index + 1])
    }
    close()
    return stages
  }
}
