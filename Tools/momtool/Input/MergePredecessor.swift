import DataModels
import Foundation
import ModelEvolution

/// The version that a new version was made from. It is the base where both sides of a merge added the version, and git has
/// none.
enum MergePredecessor {
  /// The version that was current where the sides parted.
  case model(NSManagedObjectModel)
  /// There was no version yet.
  case nothing
  /// git doesn't say where the sides parted.
  case unknown

  /// Looks for the predecessor of a version that both sides added.
  ///
  /// - Parameters:
  ///   - path: The path of the version's `contents`, relative to the repository's root.
  ///   - ours: Our contents of the file.
  ///   - theirs: Their contents of the file.
  init(of path: String, ours: Data, theirs: Data) {
    guard path.contains(".xcdatamodeld/") else {
      // A model that is in no bundle is not made from another.
      self = .nothing
      return
    }
    guard let repository = try? GitRepository(containing: URL(fileURLWithPath: ".")) else {
      self = .unknown
      return
    }
    let (mine, yours) = (repository.blob(of: ours), repository.blob(of: theirs))
    func bundle(with head: String) -> MovedBundle {
      MovedBundle(of: path, sides: [("HEAD", mine), (head, yours)], repository)
    }
    if let head = Self.mergedHead(in: repository) {
      if let start = try? repository.mergeBase("HEAD", head) {
        self.init(currentOf: bundle(with: head), in: start, repository)
      } else {
        self = repository.isShallow ? .unknown : .nothing
      }
      return
    }
    // Where several commits added the same file, it must not matter which of them is meant.
    let steps = AppliedCommits(repository, path: path, theirs: theirs).steps
    let states = steps.map { step in
      let place = try? bundle(with: step.commit).path(in: step.parent)
      return place.map { repository.object("\(step.parent):\($0)") ?? "" }
    }
    guard let step = steps.first, Set(states).count == 1 else {
      self = .unknown
      return
    }
    self.init(currentOf: bundle(with: step.commit), in: step.parent, repository)
  }

  /// The commit that git is merging into ours; nil if it is doing something else, or merging several.
  private static func mergedHead(in repository: GitRepository) -> String? {
    // git identifies it only by the name of an environment variable.
    var heads = ProcessInfo.processInfo.environment.keys.filter { $0.hasPrefix("GITHEAD_") }
      .map { String($0.dropFirst("GITHEAD_".count)) }
    if heads.isEmpty { heads = ["MERGE_HEAD"] }
    guard heads.count == 1, let head = heads.first else { return nil }
    return try? repository.commit(head)
  }

  private init(currentOf bundle: MovedBundle, in commit: String, _ repository: GitRepository) {
    guard let place = try? bundle.path(in: commit) else {
      self = .unknown
      return
    }
    guard repository.object("\(commit):\(place)") != nil else {
      self = .nothing
      return
    }
    guard let input = try? HistoryInput("git:\(commit):\(place)") else {
      self = .unknown
      return
    }
    let version = input.selected ?? input.history.latestVersion
    self = version.map { .model($0.model) } ?? .nothing
  }
}
