import CoreData
import Foundation
import Testing

@Suite struct ObjectLockTests {
  @Test func `one thread at a time is within an object`() async {
    final class Counter: @unchecked Sendable { var value = 0 }
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<1_000 {
            objc_sync_enter(counter)
            objc_sync_enter(counter)
            counter.value += 1
            objc_sync_exit(counter)
            objc_sync_exit(counter)
          }
        }
      }
    }
    #expect(counter.value == 4_000)
    #expect(objc_sync_exit(counter) == -1)
  }
}
