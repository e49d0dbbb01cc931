/// The input of a run: a model, a setup of contexts, and a sequence of operations. These determine everything else.
struct Program: Codable, Sendable, Equatable {
  var model: ModelPlan
  var setup: Setup
  var operations: [Operation]
  /// Whether steps may have results that the reference leaves undecided: then only what always holds is checked.
  var isOpen = false
  /// What an open program does beside its steps; nil for nothing.
  var customs: Customs?
}

extension Program {
  /// Makes the program an open one, which has no steps in other processes, and undoes beside other contexts.
  mutating func open(_ random: inout RandomSource) {
    isOpen = true
    for index in setup.contexts.indices {
      setup.contexts[index].isRemote = false
      if random.happens(30) { setup.contexts[index].undoes = true }
    }
  }
}

/// The stack of a program.
struct Setup: Codable, Sendable, Equatable {
  var contexts: [ContextPlan] = [ContextPlan()]
  var coordinatorCount = 1
  /// Whether the stores record persistent history.
  var keepsHistory = false
  /// Whether stores are read through connections of their own from the first request on.
  var hasReaders = false
  /// Whether the stores are in memory as a whole: in-memory, XML and binary stores.
  var isInMemory = false
  /// Whether the stores are those of a server.
  var isOnServer = false
  /// The kind of file that holds such a store, or nil for in-memory stores, which have none.
  var wholeFile: WholeFile?

  enum WholeFile: String, Codable, Sendable, CaseIterable { case xml, binary }
}

/// A context.
struct ContextPlan: Codable, Sendable, Equatable {
  enum Policy: String, Codable, Sendable, CaseIterable {
    case error, storeTrump, objectTrump, overwrite, rollback
  }

  var coordinator = 0
  /// The parent context, an earlier one of the list.
  var parent: Int?
  var policy = Policy.error
  /// Whether the merge policy is a subclass defined by the program.
  var ownsPolicy = false
  var isPrivate = false
  var mergesAutomatically = false
  var undoes = false
  /// The requests of the context's fetched results controllers.
  var watches: [FetchPlan] = []
  /// Whether the context is in another process.
  var isRemote = false
}

/// The name of an object: the number given by its insertion.
typealias ObjectName = Int
