import CoreData
import Foundation
import Testing

@Suite struct NotificationSequenceTests {
  @Test func `a loop gets what is posted by its sender once it listens`() async {
    let name = Notification.Name("NotificationSequenceTests")
    let (sender, other) = (NSObject(), NSObject())
    let center = NotificationCenter.default
    center.post(name: name, object: sender, userInfo: ["number": 0])
    var loop = center.notifications(named: name, object: sender).makeAsyncIterator()
    for (object, number) in [(sender, 1), (other, 2), (sender, 3)] {
      center.post(name: name, object: object, userInfo: ["number": number])
    }
    #expect(await loop.next()?.userInfo?["number"] as? Int == 1)
    #expect(await loop.next()?.userInfo?["number"] as? Int == 3)
  }

  @Test func `a loop ends with its task`() async {
    let task = Task {
      var count = 0
      for await _ in NotificationCenter.default.notifications(named: .init("Nobody's")) {
        count += 1
      }
      return count
    }
    task.cancel()
    #expect(await task.value == 0)
  }
}
