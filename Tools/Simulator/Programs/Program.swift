/// What a run does: a model, the contexts, and operations in their order. Everything else follows from it.
struct Program: Codable, Equatable {
  var model: ModelPlan
  var setup: Setup
  var operations: [Operation]
}

/// The stack that a program works on.
struct Setup: Codable, Equatable {
  var contexts: [ContextPlan] = [ContextPlan()]
  var coordinatorCount = 1
  /// Whether the stores keep persistent history.
  var keepsHistory = false
  /// Whether the stores live in memory, and have no files.
  var isInMemory = false
}

/// A context.
struct ContextPlan: Codable, Equatable {
  enum Policy: String, Codable, CaseIterable {
    case error, storeTrump, objectTrump, overwrite, rollback
  }

  var coordinator = 0
  /// The context it saves into, an earlier one of the list.
  var parent: Int?
  var policy = Policy.error
  /// Whether the policy is of a class of the program's own.
  var ownsPolicy = false
  var isPrivate = false
  var mergesAutomatically = false
  var undoes = false
  /// The requests of the context's fetched results controllers.
  var watches: [FetchPlan] = []
  /// Whether another process has it.
  var isRemote = false
}

/// An object of a program: the number that its insertion gave it.
typealias ObjectName = Int
