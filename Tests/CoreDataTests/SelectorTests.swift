import CoreData
import Testing

private final class Listener {
  var heard: [Notification.Name] = []
  func hear(_ notification: Notification) { heard.append(notification.name) }
}

@Suite struct SelectorTests {
  private let center = NotificationCenter()
  private let hear = Selector(
    "hear:", calls: { (object: Listener, argument: Notification) in object.hear(argument) })

  @Test func `an observer is called by its selector until it is removed`() {
    let listener = Listener()
    center.addObserver(listener, selector: hear, name: Notification.Name("a"), object: nil)
    center.addObserver(listener, selector: hear, name: Notification.Name("b"), object: nil)
    center.post(name: Notification.Name("a"), object: nil)
    center.post(name: Notification.Name("c"), object: nil)
    #expect(listener.heard.map(\.rawValue) == ["a"])
    center.removeObserver(listener, name: Notification.Name("a"), object: nil)
    center.post(name: Notification.Name("a"), object: nil)
    center.post(name: Notification.Name("b"), object: nil)
    #expect(listener.heard.map(\.rawValue) == ["a", "b"])
    center.removeObserver(listener)
    center.post(name: Notification.Name("b"), object: nil)
    #expect(listener.heard.count == 2)
  }

  @Test func `an observer isn't kept, and nothing is called when it is gone`() {
    weak var gone: Listener?
    do {
      let listener = Listener()
      gone = listener
      center.addObserver(listener, selector: hear, name: nil, object: nil)
    }
    #expect(gone == nil)
    center.post(name: Notification.Name("a"), object: nil)
  }

  @Test func `an observer hears of its object alone`() {
    let (listener, one, other) = (Listener(), Listener(), Listener())
    center.addObserver(listener, selector: hear, name: nil, object: one)
    center.post(name: Notification.Name("a"), object: other)
    center.post(name: Notification.Name("b"), object: one)
    #expect(listener.heard.map(\.rawValue) == ["b"])
  }

  @Test func `what addObserver with a block gives is removed as before`() {
    nonisolated(unsafe) var count = 0
    let token = center.addObserver(forName: nil, object: nil, queue: nil) { _ in count += 1 }
    center.post(name: Notification.Name("a"), object: nil)
    center.removeObserver(token)
    center.post(name: Notification.Name("a"), object: nil)
    #expect(count == 1)
  }

  @Test func `selectors are their names`() {
    #expect(hear == Selector("hear:"))
    #expect(Set([hear, Selector("hear:")]).count == 1)
    #expect(!Selector("hear:").call(on: Listener(), with: 1))
  }
}
