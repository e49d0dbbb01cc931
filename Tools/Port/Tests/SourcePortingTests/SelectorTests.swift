import Testing

@testable import SourcePorting

/// Selectors, and the calls that take them.
@Suite struct SelectorTests {
  @Test func `selectors of properties are those of their accessors`() {
    let text = """
      import CoreData
      class P: NSManagedObject { @NSManaged var a: String; @objc(isOn) var on = true; func a(_ b: Int) {} }
      let s = [#selector(getter: P.a), #selector(setter: P.a), #selector(getter: P.on), #selector(setter: P.on)]
      """
    #expect(
      port(text).contains(
        "[Selector(\"a\"), Selector(\"setA:\"), Selector(\"isOn\"), Selector(\"setIsOn:\")]"))
    let inside =
      "import CoreData\nclass P { @objc var url = 1; func f() { g(#selector(setter: self.url)) } }"
    #expect(port(inside).contains("g(Selector(\"setUrl:\"))"))
  }

  @Test(arguments: [
    ("NSString.caseInsensitiveCompare", "caseInsensitiveCompare:"),
    ("NSString.localizedStandardCompare", "localizedStandardCompare:"),
    ("NSString.localizedStandardCompare(_:)", "localizedStandardCompare:"),
    ("NSNumber.compare", "compare:"), ("NSArray.removeAllObjects", "removeAllObjects"),
  ])
  func `Foundation's comparisons have an argument`(method: String, selector: String) {
    #expect(
      port("import CoreData\nlet s = #selector(\(method))").hasSuffix(
        "let s = Selector(\"\(selector)\")"))
  }

  /// Returns the advice on each call in a source that needs attention.
  private func advice(on text: String) -> [String] {
    SourcePort([SourceFile(path: "a.swift", fullPath: "/p/a.swift", module: "M", text: text)])
      .notes.compactMap(\.advice)
  }

  @Test(arguments: [
    (
      "Timer.scheduledTimer(timeInterval: 1, target: self, selector: s, userInfo: nil, repeats: true)",
      "timers"
    ),
    (
      "Timer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: true)",
      "timers"
    ),
    (
      "Timer(fireAt: d, interval: 1, target: self, selector: s, userInfo: nil, repeats: true)",
      "timers"
    ),
    ("perform(#selector(tick), with: nil, afterDelay: 1)", "objects perform no selectors later"),
    (
      "view.perform(s, with: nil, afterDelay: 1, inModes: [])", "objects perform no selectors later"
    ),
    (
      "NSObject.cancelPreviousPerformRequests(withTarget: self)",
      "objects perform no selectors later"
    ),
    ("performSelector(onMainThread: s, with: nil, waitUntilDone: true)", "call the method in"),
    ("o.performSelector(inBackground: s, with: nil)", "call the method in"),
    ("o.perform(s, on: thread, with: nil, waitUntilDone: true)", "threads perform"),
    ("RunLoop.main.perform(s, target: o, argument: nil, order: 0, modes: [])", "run loops perform"),
    ("Thread(target: self, selector: s, object: nil)", "threads perform"),
    ("Thread.detachNewThreadSelector(s, toTarget: self, with: nil)", "threads perform"),
    ("manager.registerUndo(withTarget: self, selector: s, object: nil)", "undo managers"),
    ("perform(#selector(tick))", "call the method itself"),
  ])
  func `calls that only the Objective-C runtime has are left`(call: String, start: String) {
    let found = advice(on: "class A: NSObject {\n  @objc func tick() {}\n  func f() { \(call) }\n}")
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix(start) == true)
  }

  @Test func `calls of other methods are not told of`() {
    #expect(
      advice(
        on: """
          class A: NSObject {
            func perform(_ a: Int, with b: Int?, afterDelay c: Int) {}
            func f() {
              perform(1, with: nil, afterDelay: 2)
              context.perform { save() }
              Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in }
              NotificationCenter.default.addObserver(self, selector: #selector(f), name: nil, object: nil)
              manager.registerUndo(withTarget: self) { $0.f() }
            }
          }
          """
      ).isEmpty)
  }
}
