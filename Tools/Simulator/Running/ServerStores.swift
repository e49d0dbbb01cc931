import MomKit

/// Stores in a server, in which programs run instead of in files. A package with an engine of its own sets them before it
/// runs ``Simulator``.
public struct ServerStores: Sendable {
  /// The stores' type.
  let type: String
  /// The location of a store with a name that nobody else uses.
  let url: @Sendable (_ name: String) -> URL?

  /// Creates the stores of a server.
  public init(type: String, url: @escaping @Sendable (_ name: String) -> URL?) {
    (self.type, self.url) = (type, url)
  }

  // Set once, before anything runs.
  nonisolated(unsafe) private(set) static var current: ServerStores?

  /// Lets all programs run in these stores.
  public static func use(_ stores: ServerStores) { current = stores }
}

extension Setup {
  /// Moves the stores to the server, which no other process writes to.
  mutating func moveToServer() {
    (isOnServer, isInMemory, wholeFile, hasReaders) = (true, false, nil, false)
    for index in contexts.indices { contexts[index].isRemote = false }
    coordinatorCount = min(coordinatorCount, 2)
    for index in contexts.indices { contexts[index].coordinator %= coordinatorCount }
  }
}

extension ModelPlan {
  /// The model without what stores on a server refuse: derived attributes.
  var onServer: ModelPlan {
    var model = self
    for index in model.entities.indices {
      model.entities[index].attributes.removeAll { $0.counted != nil }
    }
    return model
  }
}
