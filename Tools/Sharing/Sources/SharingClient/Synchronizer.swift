import Foundation
import MomKit
import SharedModel

/// Exchanges the changes of a store and of the server.
///
/// ```swift
/// let synchronizer = Synchronizer(storeURL: url, server: server, secret: secret)
/// let report = try await synchronizer.sync()
/// ```
///
/// It may be interrupted at any moment, and is then simply called again: objects are known by their UUIDs, and the
/// store contains how far it got.
///
/// If app and server have both changed an object since they last agreed, each property has the value of whoever pushed
/// it last; a to-many relationship is one property. If either has deleted it, it is deleted.
public struct Synchronizer: Sendable {
  /// What was exchanged.
  public struct Report: Sendable {
    /// The number of objects pushed, deletions included.
    public internal(set) var pushed = 0
    /// The number of objects changed in the store, deletions included.
    public internal(set) var pulled = 0
    /// The number of objects that both sides had changed.
    public internal(set) var conflicts = 0
  }

  /// The store's file.
  public let storeURL: URL
  private let server: URL
  private let secret: String

  /// Creates a synchronizer of a store with a server that knows the secret.
  public init(storeURL: URL, server: URL, secret: String) {
    self.storeURL = storeURL
    (self.server, self.secret) = (server, secret)
  }

  /// Pushes the app's changes to the server, then takes over the server's.
  ///
  /// - Throws: ``SyncError``, errors of the connection, and errors of the store. What was exchanged by then isn't lost.
  public func sync() async throws -> Report {
    let lock = try SyncLock(storeURL)
    defer { lock.release() }
    let service = ServiceConnection(server: server, secret: secret)
    defer { service.end() }
    let context = try NotesStore.container(at: storeURL).newBackgroundContext()
    context.transactionAuthor = NotesStore.syncAuthor
    context.undoManager = nil
    // What the app saves at this very moment has precedence, and is pushed next time.
    context.mergePolicy = NSMergeByPropertyStoreTrumpMergePolicy
    var run = SyncRun(service: service, context: context)
    do {
      if try await run.settlePendingPush() {
        // Its objects get their revisions, before the app's further changes of them are pushed.
        try await run.pull()
      }
    } catch is ServiceConnection.HistoryIsGone {
      try await run.pullEverything()
    }
    try await run.push()
    do {
      try await run.pull()
    } catch is ServiceConnection.HistoryIsGone {
      try await run.pullEverything()
    }
    return run.report
  }
}
