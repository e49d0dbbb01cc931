import Foundation
import MomKit

/// Main queue contexts used from tasks. Outside Apple's platforms, programs with an asynchronous `main` call
/// `dispatchMain()`, after which no thread is the main thread.
extension MainQueueTrials {
  static func mainActorInRunLoop(_ run: TrialRun) throws {
    let done = Counter()
    Task {
      await work(run)
      done.add()
    }
    run.turn { done.value == 1 }
    run.expect(done.value == 1, "the tasks come to their end")
  }

  static func mainActorInDispatchMain(_ run: TrialRun) throws {
    Task {
      await work(run)
      run.finish()
    }
    dispatchMain()
  }

  static func underDispatchMain(_ run: TrialRun) throws {
    run.view.person("Ada")
    Thread.detachNewThread {
      let child = run.child(of: run.view)
      child.performAndWait {
        do {
          let names = try child.names()
          run.expect(names == ["Ada"], "a child fetches from the main queue")
          child.person("Bo")
          try child.save()
        } catch {
          run.expect(false, "\(error)")
        }
      }
      let names = run.view.performAndWait { run.view.performAndWait { try? run.view.names() } }
      run.expect(names == ["Ada", "Bo"], "and saves into it")
      run.finish()
    }
    dispatchMain()
  }

  private static func work(_ run: TrialRun) async {
    do {
      let view = run.view
      try await onMainActor(run)
      let count = try await Task.detached {
        try await view.perform {
          view.person("Cy")
          return try view.performAndWait { try view.names() }.count
        }
      }.value
      run.expect(count == 3, "a detached task awaits the main queue")
      let names = try await withThrowingTaskGroup(of: [String].self) { group in
        for number in 0..<20 {
          let context = run.container.newBackgroundContext()
          group.addTask {
            try await context.perform {
              context.person("\(number)")
              try context.save()
              return try view.performAndWait { try view.names() }
            }
          }
        }
        var all: [[String]] = []
        for try await names in group { all.append(names) }
        return all
      }
      run.expect(names.count == 20, "many at once wait for the main queue inside of their own")
    } catch {
      run.expect(false, "\(error)")
    }
  }

  @MainActor
  private static func onMainActor(_ run: TrialRun) async throws {
    let view = run.view
    view.performAndWait { _ = view.person("Ada") }
    let background = run.container.newBackgroundContext()
    background.performAndWait { view.performAndWait { _ = view.person("Bo") } }
    run.expect(try view.names() == ["Ada", "Bo"], "the main actor waits for its own queue")
    let count = try await view.perform { try view.names().count }
    run.expect(count == 2, "and awaits it")
    let child = run.child(of: view)
    let names = try await child.perform { try child.names() }
    run.expect(names == ["Ada", "Bo"], "a child that it awaits finds the main queue free")
    let told = Counter()
    let listener = Listener(.NSManagedObjectContextObjectsDidChange, view) { _ in told.add() }
    try view.save()
    view.delete(view.person("Di"))
    let before = told.value
    while told.value == before { await Task.yield() }
    run.expect(told.value == before + 1, "its turns end with an event")
    withExtendedLifetime(listener) {}
  }
}
