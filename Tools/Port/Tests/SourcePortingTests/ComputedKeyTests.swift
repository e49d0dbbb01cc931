import Testing

@testable import SourcePorting

/// Properties of managed classes that key-value coding finds by name on Apple's systems.
@Suite struct ComputedKeyTests {
  @Test func `computed properties of managed classes are values for their keys`() {
    #expect(
      port(
        """
        import CoreData
        public class Entry: NSManagedObject {
          @objc public var section: String? { get { nil } }
          @objc var kind: Kind { get { .a } set { raw = newValue.rawValue } }
          var hidden: Int { 1 }
          @objc private var secret: Int { 1 }
        }
        extension Entry { @objc var month: Int { 1 } }
        class Note: Entry {
          override var section: String? { "" }
          @objc var own: Int { 1 }
          override func value(forKey key: String) -> Any? { nil }
        }
        class Plain: NSObject { @objc var own: Int { 1 } }
        """)
          == """
          import CoreData
          public class Entry: NSManagedObject { public override func value(forKey key: String) -> Any? { switch key { case "kind": return keyValue(of: self.kind) case "month": return keyValue(of: self.month) case "section": return keyValue(of: self.section) default: return super.value(forKey: key) } };
            public var section: String? { get { nil } }
            var kind: Kind { get { .a } set { raw = newValue.rawValue } }
            var hidden: Int { 1 }
            private var secret: Int { 1 }
          }
          extension Entry { var month: Int { 1 } }
          class Note: Entry {
            override var section: String? { "" }
            var own: Int { 1 }
            override func value(forKey key: String) -> Any? { nil }
          }
          class Plain: NSObject { var own: Int { 1 } }
          """)
  }

  @Test func `stored properties of managed classes are values for their keys`() {
    #expect(
      port(
        """
        import CoreData
        class Entry: NSManagedObject {
          @objc var stored: Int = 4
          @objc let fixed = 1
          @objc lazy var late: [Int] = []
          @objc var a: Int? { didSet { log() } }
          @objc var b = 1, c = 2
          var hidden = 1
          @objc static var shared = 1
        }
        """)
          == """
          import CoreData
          class Entry: NSManagedObject { override func value(forKey key: String) -> Any? { switch key { \
          case "a": return keyValue(of: self.a) case "b": return keyValue(of: self.b) \
          case "c": return keyValue(of: self.c) case "fixed": return keyValue(of: self.fixed) \
          case "late": return keyValue(of: self.late) case "stored": return keyValue(of: self.stored) \
          default: return super.value(forKey: key) } };
            final var stored: Int = 4
            final let fixed = 1
            lazy var late: [Int] = []
            var a: Int? { didSet { log() } }
            final var b = 1, c = 2
            var hidden = 1
            static var shared = 1
          }
          """)
  }

  @Test func `a key is the name that Objective-C sees`() {
    let text = port(
      """
      import CoreData
      class Entry: NSManagedObject {
        @objc(shout) var loud: String { "A" }
        @objc(weight) var mass = 1
        func f() -> String { #keyPath(Entry.loud) }
      }
      """)
    #expect(
      text.contains(
        "case \"shout\": return keyValue(of: self.loud) case \"weight\": return keyValue(of: self.mass) default:"
      ))
    #expect(text.contains("{ \"shout\" }"))
  }

  @Test func `a class on one line can be read by keys`() {
    #expect(
      port(
        "import CoreData\nclass T: NSManagedObject { @NSManaged var a: String; @objc var more: Int { 7 } }"
      )
        == """
        import CoreData
        class T: NSManagedObject { override func value(forKey key: String) -> Any? { switch key { case "more": return keyValue(of: self.more) default: return super.value(forKey: key) } }; var a: String { get { managed("a") } set { setManaged(newValue, "a") } }; var more: Int { 7 } }
        """)
    #expect(
      port("import CoreData\nclass T: NSManagedObject {\n  @objc var more: Int { 7 } }")
        .hasSuffix("default: return super.value(forKey: key) } };\n  var more: Int { 7 } }"))
  }

  @Test func `properties that can't be read everywhere have no keys`() {
    let text = """
      import CoreData
      class Entry: NSManagedObject {
        #if os(iOS)
          @objc var image: Image?
        #endif
        @MainActor @objc var shown: Int { 1 }
        @objc var risky: Int { get throws { 1 } }
      }
      """
    #expect(!port(text).contains("value(forKey"))
  }

  @Test func `subclasses in other modules can be read by keys, too`() {
    let files = [
      ("A", "import CoreData\nopen class Base: NSManagedObject { @objc var a: Int { 1 } }"),
      (
        "B",
        "import A\nimport CoreData\nclass Item: Base { @NSManaged var b: Int; @objc var c = 1 }"
      ),
    ].map { SourceFile(path: "\($0).swift", fullPath: "/p/\($0).swift", module: $0, text: $1) }
    let texts = SourcePort(files).results.map(\.text)
    #expect(texts[0].contains("{ open override func value(forKey key: String) -> Any? {"))
    #expect(texts[1].contains("{ override func value(forKey key: String) -> Any? {"))
  }
}
