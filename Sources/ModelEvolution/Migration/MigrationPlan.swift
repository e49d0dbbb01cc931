import DataModels

/// How the stores of every older version get to the current one: directly, or in stages.
public struct MigrationPlan: Sendable {
  /// The verdict on one way from a version to a later one.
  public struct Route: Sendable {
    /// The version stores were made with.
    public let from: String
    /// The version they go to.
    public let to: String
    /// What becomes of them.
    public let verdict: MigrationVerdict
  }

  /// A stage of a staged migration.
  public enum Stage: Hashable, Sendable {
    /// Inference does it: the versions with their checksums, for `NSLightweightMigrationStage`.
    case lightweight(versions: [String], checksums: [String])
    /// A handler of yours does it, for `NSCustomMigrationStage`.
    case custom(from: String, to: String)
  }

  /// From every other version straight to the current one, older ones first: a name that comes after the current
  /// one's says nothing of which stores are about.
  public let routes: [Route]
  /// From every version to the next, where stages are made of them; else none.
  public let steps: [Route]
  /// The stages that bring every version to the current one; empty when inference alone does.
  public let stages: [Stage]

  /// Plans for a history.
  ///
  /// - Throws: `EvolutionError` with `.unknownVersion` when there is no current version.
  public init(for history: VersionedModel) throws {
    guard let current = history.currentVersion else {
      throw EvolutionError(
        .unknownVersion,
        "no version is marked as current, or the one that is marked isn't there; name one")
    }
    let older = history.versions.prefix { $0.name != current.name }
    let path = Array(older) + [current]
    let all = path + history.versions.dropFirst(path.count)
    let contents = all.map(\.model).outlines().concurrentMap { VisibleProperties(of: $0) }
    let hashes = all.map(\.model).versionHashes()
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

  /// Runs of steps that inference does, with a custom stage for each that it doesn't.
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
