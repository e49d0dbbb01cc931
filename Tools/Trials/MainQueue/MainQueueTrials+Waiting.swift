import Foundation
import MomKit

/// Waiting for the main queue, from the main thread and from others.
extension MainQueueTrials {
  static func waitingOnMain(_ run: TrialRun) throws {
    let order = run.view.performAndWait {
      run.view.performAndWait { ["inner"] } + ["outer"]
    }
    run.expect(order == ["inner", "outer"], "the main thread waits for its own queue")
    try run.view.performAndWait {
      run.view.person("Ada")
      try run.view.save()
    }
    let background = run.container.newBackgroundContext()
    let names = try background.performAndWait {
      try run.view.performAndWait {
        try background.performAndWait { try background.names() } + run.view.names()
      }
    }
    run.expect(names == ["Ada", "Ada"], "through another queue and back")
  }

  static func childrenOnMain(_ run: TrialRun) throws {
    run.view.person("Ada")
    let own = run.child(of: run.view)
    let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    main.parent = own
    try main.performAndWait {
      run.expect(try main.names() == ["Ada"], "a grandchild on the main queue fetches")
      main.person("Bo")
      try main.save()
      try own.performAndWait { try own.save() }
      try run.view.save()
    }
    let saved = run.container.newBackgroundContext()
    run.expect(
      try saved.performAndWait { try saved.names() } == ["Ada", "Bo"], "and saves into the store")
  }

  static func waitingFromElsewhere(_ run: TrialRun) throws {
    let done = Counter()
    Thread.detachNewThread {
      let isMain = run.view.performAndWait {
        run.view.person("Ada")
        return Thread.isMainThread && run.view.performAndWait { Thread.isMainThread }
      }
      run.expect(isMain, "a block of the main queue runs on the main thread")
      done.add()
    }
    run.turn { done.value == 1 }
    run.expect(try run.view.names() == ["Ada"], "the main thread finds what it made")
  }

  static func childInBackground(_ run: TrialRun) throws {
    run.view.person("Ada")
    let child = run.child(of: run.view)
    let done = Counter()
    child.perform {
      do {
        let names = try child.names()
        child.person("Bo")
        try child.save()
        run.expect(names == ["Ada"], "a child in the background fetches from the main queue")
      } catch {
        run.expect(false, "\(error)")
      }
      done.add()
    }
    run.turn { done.value == 1 }
    run.expect(try run.view.names() == ["Ada", "Bo"], "and saves into it")
  }

  /// A thread that waits for the main thread holds its own queues meanwhile; work performed there on its behalf may
  /// use them.
  static func lentQueues(_ run: TrialRun) throws {
    let child = run.child(of: run.view)
    let (heard, done) = (Counter(), Counter())
    let listener = Listener(.NSManagedObjectContextObjectsDidChange, run.view) { _ in
      heard.add(child.performAndWait { child.registeredObjects.count })
    }
    Thread.detachNewThread {
      child.performAndWait {
        child.person("Ada")
        do { try child.save() } catch { run.expect(false, "\(error)") }
      }
      done.add()
    }
    run.turn { done.value == 1 }
    run.expect(heard.value == 1, "an observer on the main thread uses the queue that waits for it")
    withExtendedLifetime(listener) {}
  }

  static func nobodyRunsMain(_ run: TrialRun) throws {
    let (ran, queued) = (Counter(), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      run.view.perform { ran.add() }
      queued.signal()
    }
    queued.wait()
    Thread.sleep(forTimeInterval: 0.2)
    run.expect(ran.value == 0, "while the main thread is busy a block waits")
    run.view.performAndWait { _ = run.view.person("Ada") }
    run.expect(try run.view.names() == ["Ada"], "the main thread itself doesn't")
    run.turn { ran.value == 1 }
    run.expect(ran.value == 1, "the next turn runs the block")
  }

  static func releasedInBlock(_ run: TrialRun) throws {
    let done = Counter()
    for type in [
      NSManagedObjectContextConcurrencyType.mainQueueConcurrencyType, .privateQueueConcurrencyType,
    ] {
      let coordinator = run.container.persistentStoreCoordinator
      DispatchQueue.global().async {
        let context = NSManagedObjectContext(concurrencyType: type)
        context.persistentStoreCoordinator = coordinator
        context.perform { [weak context] in
          context?.person("Ada")
          context?.performAndWait { done.add() }
        }
      }
    }
    run.turn { done.value == 2 }
    run.expect(done.value == 2, "a context that nobody else has ends with its block")
  }
}
