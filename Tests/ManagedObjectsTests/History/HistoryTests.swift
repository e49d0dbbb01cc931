import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import Synchronization
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Reading, pruning and announcing persistent history.
@Suite struct HistoryTests {
  private let folder: TemporaryFolder
  private let store: URL
  private let coordinator: NSPersistentStoreCoordinator
  private let context: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("store.sqlite")
    coordinator = try Library.coordinator(store, history: true)
    context = TestStore.context(coordinator)
    context.name = "main"
  }

  private func history(_ request: NSPersistentHistoryChangeRequest) throws -> Any? {
    (try context.execute(request) as? NSPersistentHistoryResult)?.result
  }

  private func transactions(
    after token: NSPersistentHistoryToken? = nil
  ) throws -> [NSPersistentHistoryTransaction] {
    try #require(
      try history(.fetchHistory(after: token)) as? [NSPersistentHistoryTransaction])
  }

  /// Four saves: two authors; one changed; one deleted; a book.
  private func saveFourTimes() throws -> NSManagedObject {
    context.transactionAuthor = "first"
    let ada = Library.new("Author", ["name": "Ada", "note": "keep"], in: context)
    let bob = Library.new("Author", ["name": "Bob"], in: context)
    try context.save()
    context.transactionAuthor = "second"
    ada["rank"] = 5
    ada["score"] = 2
    try context.save()
    context.delete(ada)
    try context.save()
    context.transactionAuthor = nil
    _ = Library.new("Book", ["title": "T", "author": bob], in: context)
    try context.save()
    return bob
  }

  @Test func whatIsGoneAlreadyIsToldOfOnce() throws {
    let ada = Library.new("Author", ["name": "Ada"], in: context)
    let bob = Library.new("Author", ["name": "Bob"], in: context)
    try context.save()
    context.delete(ada)
    context.delete(bob)
    let other = TestStore.context(coordinator)
    other.delete(try other.existingObject(with: ada.objectID))
    try other.save()
    let start = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
    let bobID = bob.objectID
    try context.save()
    let changes = try transactions(after: start).flatMap { $0.changes ?? [] }
    #expect(changes.map(\.changedObjectID) == [bobID])
  }

  @Test func everySaveIsATransaction() throws {
    let start = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
    #expect(try transactions(after: start).isEmpty)
    _ = try saveFourTimes()
    let found = try transactions()
    #expect(found.map(\.transactionNumber) == [1, 2, 3, 4])
    #expect(found.map(\.author) == ["first", "second", "second", nil])
    #expect(found.allSatisfy { $0.contextName == "main" })
    #expect(found.allSatisfy { $0.processID == ProcessInfo.processInfo.processName })
    #expect(found.allSatisfy { $0.storeID == coordinator.persistentStores[0].identifier })
    #expect(
      found.map { $0.changes?.map(\.changeType) } == [
        // Whoever gets a member is changed, too.
        [.insert, .insert], [.update], [.delete], [.insert, .update],
      ])
    #expect(Set(found[1].changes?[0].updatedProperties?.map(\.name) ?? []) == ["rank", "score"])
    #expect(found[2].changes?[0].tombstone?["note"] as? String == "keep")
    #expect(found[2].changes?[0].transaction?.author == "second")
    #expect(abs(found[3].timestamp.timeIntervalSinceNow) < 60)
    #expect(try transactions(after: found[1].token).map(\.transactionNumber) == [3, 4])
    #expect(
      coordinator.currentPersistentHistoryToken(fromStores: nil) == found[3].token)
  }

  @Test func resultsComeInEveryForm() throws {
    let bob = try saveFourTimes()
    func result(_ type: NSPersistentHistoryResultType) throws -> Any? {
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
      request.resultType = type
      return try history(request)
    }
    #expect(try result(.count) as? Int == 4)
    #expect(try result(.statusOnly) as? Bool == true)
    let ids = try #require(try result(.objectIDs) as? [NSManagedObjectID])
    #expect(ids.count == 3)
    #expect(ids.contains(bob.objectID))
    let changes = try #require(try result(.changesOnly) as? [NSPersistentHistoryChange])
    #expect(changes.map(\.changeID) == [1, 2, 3, 4, 5, 6])
    let bare = try #require(try result(.transactionsOnly) as? [NSPersistentHistoryTransaction])
    #expect(bare.allSatisfy { $0.changes == nil })
  }

  @Test func predicatesChooseTransactionsAndChanges() throws {
    let bob = try saveFourTimes()
    let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
    request.predicate = NSPredicate(format: "author == %@", "second")
    let byAuthor = try #require(
      try history(.fetchHistory(withFetch: request)) as? [NSPersistentHistoryTransaction])
    #expect(byAuthor.map(\.transactionNumber) == [2, 3])
    request.predicate = NSPredicate(
      format: "token > %@", argumentArray: [byAuthor[0].token])
    request.fetchLimit = 1
    let later = try #require(
      try history(.fetchHistory(withFetch: request)) as? [NSPersistentHistoryTransaction])
    #expect(later.map(\.transactionNumber) == [3])

    let changes = try #require(NSPersistentHistoryChange.fetchRequest)
    changes.predicate = NSPredicate(
      format: "changedObjectID == %@ OR changeType == 2", argumentArray: [bob.objectID])
    let chosen = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: changes)
    chosen.resultType = .changesOnly
    let found = try #require(try history(chosen) as? [NSPersistentHistoryChange])
    #expect(found.map(\.changeType) == [.insert, .delete, .update])
  }

  @Test func anotherContextTakesTransactionsIn() throws {
    let bob = try saveFourTimes()
    let other = TestStore.context(try Library.coordinator(store))
    let seen = other.object(
      with: try #require(
        other.persistentStoreCoordinator?.managedObjectID(
          forURIRepresentation: bob.objectID.uriRepresentation())))
    #expect(seen["rank"] as? Int == 1)
    let token = other.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
    bob["rank"] = 9
    try context.save()
    let result =
      try other.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
      as? NSPersistentHistoryResult
    for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
      other.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
    }
    #expect(seen["rank"] as? Int == 9)
  }

  @Test func prunedHistoryExpiresTokens() throws {
    let start = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
    _ = try saveFourTimes()
    let all = try transactions()
    #expect(try history(.deleteHistory(before: all[2])) as? Bool == true)
    #expect(try transactions().map(\.transactionNumber) == [3, 4])
    #expect(try transactions(after: all[1].token).map(\.transactionNumber) == [3, 4])
    for token in [start, all[0].token] {
      let error = #expect(throws: NSError.self) { try transactions(after: token) }
      #expect(error?.code == NSPersistentHistoryTokenExpiredError)
    }
    // After the whole history was deleted, the next transaction still has the next number.
    #expect(try history(.deleteHistory(before: Date.distantFuture)) as? Bool == true)
    #expect(try transactions().isEmpty)
    #expect(try transactions(after: all[3].token).isEmpty)
    #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == all[3].token)
    _ = Library.new("Tag", ["name": "t"], in: context)
    try context.save()
    #expect(try transactions(after: all[3].token).map(\.transactionNumber) == [5])
    #expect(try StoreChecker(store, model: Library.model()).findings().isEmpty)
  }

  @Test func aTokenSurvivesAnArchive() throws {
    _ = try saveFourTimes()
    let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: token, requiringSecureCoding: true)
    let again = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: NSPersistentHistoryToken.self, from: data)
    #expect(again == token)
  }

  @Test func aStoreWithoutHistoryHasNoToken() throws {
    let plain = try Library.coordinator(folder.file("plain.sqlite"))
    #expect(plain.currentPersistentHistoryToken(fromStores: nil) == nil)
  }

  @Test func savesTellWhereHistoryEnds() throws {
    let told = Mutex<[NSPersistentHistoryToken?]>([])
    let coordinator = try Library.coordinator(folder.file("told.sqlite"), history: true)
    let mine = TestStore.context(coordinator)
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: mine, queue: nil
    ) { notification in
      let token = notification.userInfo?["newChangeToken"] as? NSPersistentHistoryToken
      told.withLock { $0.append(token) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    for name in ["a", "b"] {
      _ = Library.new("Tag", ["name": name], in: mine)
      try mine.save()
      let last = told.withLock { $0.last }
      #expect(last == coordinator.currentPersistentHistoryToken(fromStores: nil))
    }
    #expect(told.withLock { $0.count } == 2)
  }

  /// Observers of a write may change the objects before the save has returned.
  @Test func whatChangesWhenAWriteIsAnnouncedIsUnsaved() throws {
    let watched = try Library.coordinator(
      folder.file("changed.sqlite"), history: true,
      options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
    let mine = TestStore.context(watched)
    let tag = Library.new("Tag", ["name": "written"], in: mine)
    nonisolated(unsafe) let object = tag
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: watched, queue: nil
    ) { _ in
      if object.value(forKey: "name") as? String == "written" {
        object.setValue("later", forKey: "name")
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try mine.save()
    #expect(tag.hasChanges)
    try mine.save()
    mine.refresh(tag, mergeChanges: false)
    #expect(tag.value(forKey: "name") as? String == "later")
  }

  /// The save is over when observers of the store are told.
  @Test func anObserverOfAWriteMaySave() throws {
    let watched = try Library.coordinator(
      folder.file("saving.sqlite"), history: true,
      options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
    let mine = TestStore.context(watched)
    let tag = Library.new("Tag", ["name": "written"], in: mine)
    nonisolated(unsafe) let object = tag
    nonisolated(unsafe) var errors: [any Error] = []
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: watched, queue: nil
    ) { _ in
      guard object.value(forKey: "name") as? String == "written" else { return }
      object.setValue("later", forKey: "name")
      do { try mine.save() } catch { errors.append(error) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try mine.save()
    #expect(errors.isEmpty && !tag.hasChanges)
    mine.refresh(tag, mergeChanges: false)
    #expect(tag.value(forKey: "name") as? String == "later")
  }

  /// What begins to track history learns of the others' writes, though they were opened before.
  @Test func allWritersRecordOnceOneDoes() throws {
    let url = folder.file("joined.sqlite")
    let theirs = TestStore.context(try Library.coordinator(url))
    _ = Library.new("Tag", ["name": "before"], in: theirs)
    try theirs.save()
    let mine = TestStore.context(try Library.coordinator(url, history: true))
    _ = Library.new("Tag", ["name": "mine"], in: mine)
    try mine.save()
    let token = mine.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
    _ = Library.new("Tag", ["name": "theirs"], in: theirs)
    try theirs.save()
    let result =
      try mine.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
      as? NSPersistentHistoryResult
    #expect((result?.result as? [NSPersistentHistoryTransaction])?.count == 1)
  }

  /// A write that the watcher couldn't ask about, because the store was locked, is announced once it can.
  @Test func aWriteBeforeALockIsAnnouncedAfterIt() throws {
    let path = folder.file("locked.sqlite")
    let options: [String: Any] = [
      NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
      NSSQLitePragmasOption: ["journal_mode": "DELETE"], NSPersistentStoreTimeoutOption: 0.05,
    ]
    let watched = try Library.coordinator(path, history: true, options: options)
    let theirs = TestStore.context(try Library.coordinator(path, history: true, options: options))
    let count = Mutex(0)
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: watched, queue: nil
    ) { _ in count.withLock { $0 += 1 } }
    defer { NotificationCenter.default.removeObserver(observer) }
    _ = Library.new("Tag", ["name": "theirs"], in: theirs)
    let lock = try SQLiteConnection(writing: path, creation: .existing)
    try theirs.save()
    try lock.execute("BEGIN EXCLUSIVE")
    // Several polls.
    Thread.sleep(forTimeInterval: 1)
    try lock.execute("ROLLBACK")
    let deadline = Date(timeIntervalSinceNow: 10)
    while count.withLock({ $0 }) == 0, Date() < deadline { Thread.sleep(forTimeInterval: 0.02) }
    #expect(count.withLock { $0 } == 1)
  }

  @Test func writesAreAnnounced() throws {
    let path = folder.file("watched.sqlite")
    let watched = try Library.coordinator(
      path, history: true, options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
    let tokens = Mutex<[Int64]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: watched, queue: nil
    ) { notification in
      let token = notification.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
      guard notification.userInfo?[NSPersistentStoreURLKey] as? URL == path else { return }
      tokens.withLock { $0.append(token?.numbers.values.first ?? -1) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let mine = TestStore.context(watched)
    _ = Library.new("Tag", ["name": "mine"], in: mine)
    try mine.save()
    #expect(tokens.withLock { $0 } == [1])

    // Another connection acts as another program.
    let theirs = TestStore.context(try Library.coordinator(path, history: true))
    _ = Library.new("Tag", ["name": "theirs"], in: theirs)
    try theirs.save()
    let deadline = Date(timeIntervalSinceNow: 10)
    while tokens.withLock({ $0.count }) < 2, Date() < deadline {
      Thread.sleep(forTimeInterval: 0.02)
    }
    #expect(tokens.withLock { $0 } == [1, 2])
  }

  /// What has no author isn't known to have another one, as in every fetch of stored rows.
  @Test func noAuthorIsNotAnother() throws {
    _ = try saveFourTimes()
    let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
    fetch.predicate = NSPredicate(format: "author != %@", "first")
    let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
    let result = try context.execute(request) as? NSPersistentHistoryResult
    let found = try #require(result?.result as? [NSPersistentHistoryTransaction])
    #expect(found.map(\.author) == ["second", "second"])
  }

  /// A deletion deletes no more than it was asked to.
  @Test func whatOthersHaveWrittenStays() throws {
    _ = try saveFourTimes()
    let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
    fetch.predicate = NSPredicate(format: "author == %@", "second")
    let request = NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture)
    request.fetchRequest = fetch
    request.resultType = .count
    let result = try context.execute(request) as? NSPersistentHistoryResult
    #expect(result?.result as? Int == 2)
    let all =
      try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast))
      as? NSPersistentHistoryResult
    let left = try #require(all?.result as? [NSPersistentHistoryTransaction])
    #expect(left.map(\.author) == ["first", nil])
    #expect(left.allSatisfy { $0.changes?.isEmpty == false })
  }
}
