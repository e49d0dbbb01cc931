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
          public class Entry: NSManagedObject { public override func value(forKey key: String) -> Any? { switch key { case "kind": return keyValue(of: self.kind) case "month": return keyValue(of: self.month) case "secret": return keyValue(of: self.secret) case "section": return keyValue(of: self.section) default: return super.value(forKey: key) } }; \
          public override func setValue(_ value: Any?, forKey key: String) { switch key { \
          case "kind": if let new = keyValue(value, for: self.kind) { self.kind = new; return } \
          default: break }; super.setValue(value, forKey: key) };
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
          default: return super.value(forKey: key) } }; \
          override func setValue(_ value: Any?, forKey key: String) { switch key { \
          case "a": if let new = keyValue(value, for: self.a) { self.a = new; return } \
          case "b": if let new = keyValue(value, for: self.b) { self.b = new; return } \
          case "c": if let new = keyValue(value, for: self.c) { self.c = new; return } \
          case "late": if let new = keyValue(value, for: self.late) { self.late = new; return } \
          case "stored": if let new = keyValue(value, for: self.stored) { self.stored = new; return } \
          default: break }; super.setValue(value, forKey: key) };
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

  @Test func `properties that other systems have or nothing may use have no keys`() {
    let text = port(
      """
      import CoreData
      class Entry: NSManagedObject {
        @available(iOS, unavailable) @objc var a: Int { 1 }
        @available(iOS 13, *) @available(*, unavailable) @objc var b: Int { 1 }
        @available(Linux, unavailable, message: "gone") @objc var c: Int { 1 }
        @available(*, deprecated, message: "unavailable soon") @objc var d: Int { 1 }
      }
      @available(*, unavailable) extension Entry { @objc var e: Int { 1 } }
      """)
    #expect(text.contains("class Entry: NSManagedObject { " + reader("a", "d")))
  }

  @Test func `properties under a condition are told of`() {
    let (texts, left) = coding(
      (
        "M",
        """
        class Entry: NSManagedObject {
          @objc var a: Int { 1 }
          #if DEBUG
            @objc var b: Int { 1 }
          #elseif os(iOS) || canImport(UIKit)
            @objc var c: Int { 1 }
          #endif
        }
        #if canImport(CoreData)
          extension Entry { @objc var d: Int { 1 } }
          class Trace: NSManagedObject { @objc var e: Int { 1 } }
          extension Trace { @objc var f: Int { 1 } }
        #endif
        """
      ))
    #expect(texts[0].contains("class Entry: NSManagedObject { " + reader("a")))
    #expect(texts[0].contains("class Trace: NSManagedObject { " + reader("e", "f")))
    #expect(left.map(\.line) == [5, 11])
    #expect(left.allSatisfy { $0.advice?.contains("outside of '#if'") == true })
  }

  @Test func `what only its source can use has a key if the class is there`() {
    let (texts, left) = coding(
      (
        "M",
        """
        class Entry: NSManagedObject {
          @objc private var a: Int { 1 }
        }
        fileprivate extension Entry { @objc var b: Int { 1 } }
        """
      ),
      (
        "M",
        """
        private extension Entry { @objc var c: Int { 1 } }
        extension Entry {
          @objc fileprivate var d: Int { 1 }
          @objc private(set) var e: Int { get { 1 } set {} }
        }
        extension Item {
          @objc private var f: Int { 1 }
        }
        """
      ), generated: ["Item"])
    #expect(texts[0].contains("class Entry: NSManagedObject { " + reader("a", "b", "e")))
    #expect(!texts[1].contains("class Item"))
    #expect(left.map(\.path) == ["1.swift", "1.swift", "1.swift"])
    #expect(left.map(\.line) == [2, 4, 8])
  }

  @Test func `Objective-C sees unmarked properties only of types that it can represent`() {
    let text = port(
      """
      import CoreData
      @objcMembers class Entry: NSManagedObject {
        var a: Amount { amount() }
        var b: Kind? { nil }
        var c: Int? { number() }
        var d: (Int, Int) { (1, 2) }
        var e: [Tag] { [] }
        var f: Mark { .x }
        var g: Set<Tag>? { nil }
        var h = 1
        var i = make()
        var j: Date? { nil }
        var k: Plain { Plain() }
        var l: [Amount] { [] }
        var m: Mark? { nil }
        var n: Foundation.Decimal { 1 }
        var o: [String: Any] { [:] }
        var p: (any Seen)? { nil }
        var q: any Unseen { self }
        var r: (Int) -> Int { { $0 } }
        var s: NSOrderedSet? { nil }
        var t: Array<Int> { [1] }
        var u: [Int?] { [1] }
        var v: Amount.Unit { .init() }
      }
      struct Amount { struct Unit {} }
      enum Kind { case x }
      @objc enum Mark: Int { case x }
      class Tag: NSManagedObject {}
      class Plain {}
      @objc protocol Seen {}
      protocol Unseen {}
      """)
    #expect(
      text.contains(
        "class Entry: NSManagedObject { "
          + reader("e", "f", "g", "h", "j", "n", "o", "p", "s", "t")))
  }

  @Test func `a property wrapper need not have a setter`() {
    let text = port(
      """
      import CoreData
      class Entry: NSManagedObject {
        @objc @Injected var a: Service
        @objc @Stored.Value(1) var b: Int
        @objc @NSCopying var c: NSString = ""
      }
      """)
    #expect(text.contains("class Entry: NSManagedObject { " + reader("a", "b", "c")))
    #expect(text.contains("{ switch key { case \"c\": if let new = keyValue(value, for: self.c)"))
  }

  /// Returns the beginning of the method that reads properties.
  private func reader(_ keys: String...) -> String {
    "override func value(forKey key: String) -> Any? { switch key { "
      + keys.map { "case \"\($0)\": return keyValue(of: self.\($0)) " }.joined() + "default:"
  }

  /// Returns the ports of sources of some modules, and the notes on what is left.
  private func coding(
    _ sources: (module: String, text: String)..., generated: [String] = [], models: [String] = []
  ) -> (texts: [String], left: [PortNote]) {
    let files = sources.enumerated().map { number, source in
      SourceFile(
        path: "\(number).swift", fullPath: "/p/\(number).swift", module: source.module,
        text: "import CoreData\n" + source.text)
    }
    let classes = generated.map { GeneratedClass(name: $0, superclass: "NSManagedObject") }
    let port = SourcePort(files, models: models) { _ in PortOptions(generatedClasses: classes) }
    return (port.results.map(\.text), port.notes.filter { $0.advice != nil })
  }

  @Test func `what can't be set has no setter for its key`() {
    let text = port(
      """
      import CoreData
      class Entry: NSManagedObject {
        @objc private(set) var a = 1
        @objc fileprivate(set) var b: Int { get { 1 } set {} }
        @objc internal(set) public var c = 1
        @objc var d: Int { 1 }
      }
      """)
    #expect(text.contains("case \"a\": return keyValue(of: self.a) case \"b\": return"))
    #expect(
      text.contains(
        "{ switch key { case \"c\": if let new = keyValue(value, for: self.c) { self.c = new; return } default:"
      ))
  }

  @Test func `attributes of a class or an extension make properties visible`() {
    let text = port(
      """
      import CoreData
      @objcMembers class Entry: NSManagedObject {
        var a: Int { 1 }
        @nonobjc var b: Int { 1 }
        private var c: Int { 1 }
        @available(*, unavailable) var d: Int { 1 }
        var e: Int? { get { value(forKey: "e") as? Int } set { setValue(newValue, forKey: "e") } }
        func f() { let g = 1 }
      }
      extension Entry { var h: Int { 1 } }
      private extension Entry { @objc var i: Int { 1 } }
      class Note: Entry { var j: Int { 1 } }
      class Plain: NSManagedObject { var k: Int { 1 } }
      @objc extension Plain { var l: Int { 1 } }
      """)
    #expect(text.contains("class Entry: NSManagedObject { " + reader("a", "h", "i")))
    #expect(text.contains("class Note: Entry { " + reader("j")))
    #expect(text.contains("class Plain: NSManagedObject { " + reader("l")))
    #expect(!text.contains("func setValue("))
  }

  @Test func `a generated class is written for the keys of its extensions`() {
    let item =
      "extension Item {\n  @objc var month: Int { 1 }\n  @objc var mark: Int { get { 1 } set {} }\n}"
    let (texts, left) = coding(
      ("M", item), ("M", "extension Item { @objc var year: Int { 1 } }"), generated: ["Item"])
    #expect(
      texts[0].hasSuffix(
        """
        public class Item: NSManagedObject {
        public override func value(forKey key: String) -> Any? { switch key { \
        case "mark": return keyValue(of: self.mark) case "month": return keyValue(of: self.month) \
        case "year": return keyValue(of: self.year) default: return super.value(forKey: key) } }
        public override func setValue(_ value: Any?, forKey key: String) { switch key { \
        case "mark": if let new = keyValue(value, for: self.mark) { self.mark = new; return } \
        default: break }; super.setValue(value, forKey: key) }
        }

        """))
    #expect(!texts[1].contains("class Item"))
    #expect(left.isEmpty)
    // The class also has what must stand in its body anyway.
    let moved = coding(
      ("M", "extension Item { override func awakeFromInsert() {} }"), ("M", item),
      generated: ["Item"])
    #expect(
      moved.texts[0].contains(
        "\noverride func awakeFromInsert() {}\n#sourceLocation()\npublic override func value("))
    #expect(!moved.texts[1].contains("class Item"))
  }

  @Test func `keys that key-value coding can't find are told of`() {
    let model =
      "<model><entity name=\"Item\" representedClassName=\".Item\" codeGenerationType=\"class\"/></model>"
    let item = "extension Item {\n  @objc var month: Int { 1 }\n}"
    // In each build, the class is generated by another plugin.
    let generated = coding(("M", item), models: [model]).left
    #expect(generated.map(\.line) == [3])
    #expect(generated.first?.advice?.contains("choose Category/Extension") == true)
    let every = coding(("M", "extension NSManagedObject {\n  @objc var month: Int { 1 }\n}")).left
    #expect(every.map(\.line) == [3])
    #expect(coding(("M", "extension NSObject {\n  @objc var month: Int { 1 }\n}")).left.isEmpty)
    // The class isn't generated.
    let twice =
      "#if os(Linux)\nclass Item: NSManagedObject {}\n#else\nclass Item: NSManagedObject {}\n#endif\n"
    #expect(coding(("M", twice + item), models: [model]).left.isEmpty)
    // This is visible to Objective-C so that it can be overridden.
    let overridden = coding(
      (
        "M",
        "extension NSManagedObject {\n  @objc var title: String { \"\" }\n}\n"
          + "class Entry: NSManagedObject { override var title: String { \"a\" } }"
      ))
    #expect(overridden.texts[0].contains("title_overridden"))
    #expect(overridden.left.isEmpty)
  }

  @Test func `a class has no members of other modules`() {
    let check = "(_ v: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}"
    let (texts, left) = coding(
      (
        "Model",
        "public class Entry: NSManagedObject { @objc var day: Int { 1 } }\nclass Item: NSManagedObject {}"
      ),
      (
        "App",
        "import Model\nextension Entry {\n  @objc var month: Int { 1 }\n  @objc func validateAge\(check)\n}\n"
          + "class Item: NSManagedObject { @objc var own: Int { 1 }; @objc func validateAge\(check) }"
      ))
    #expect(texts[0].contains("switch key { case \"day\": return keyValue(of: self.day) default:"))
    #expect(texts[0].contains("class Item: NSManagedObject {}"))
    #expect(!texts[0].contains("propertyValidators"))
    #expect(texts[1].contains("switch key { case \"own\": return keyValue(of: self.own) default:"))
    #expect(texts[1].contains("PropertyValidator(Item.validateAge)"))
    #expect(left.map(\.line).sorted() == [4, 5])
    #expect(Set(left.map(\.kind)) == [.runtime, .validator])
  }

  @Test func `only a class's own methods for key-value coding are left alone`() {
    let other = coding(
      ("M", "class Entry: NSManagedObject { @objc var a = 1; func value(of b: Int) -> Int { b } }"))
    #expect(other.texts[0].contains("override func value(forKey key: String)"))
    #expect(other.left.isEmpty)
    let overload = coding(
      (
        "M",
        "class Entry: NSManagedObject { @objc var a = 1; func value<T>(forKey key: Key) -> T { key.value() } }"
      ))
    #expect(overload.texts[0].contains("class Entry: NSManagedObject { " + reader("a")))
    #expect(overload.left.isEmpty)
    let own = coding(
      (
        "M",
        "class Entry: NSManagedObject {\n  @objc var a = 1\n  override func value(forKey key: String) -> Any? { nil }\n}"
      ))
    #expect(!own.texts[0].contains("keyValue(of:"))
    #expect(own.texts[0].contains("override func setValue(_ value: Any?, forKey key: String)"))
    #expect(own.left.map(\.line) == [2])
    #expect(own.left.first?.advice?.contains("return 'a' there") == true)
    let setter = coding(
      (
        "M",
        "class Entry: NSManagedObject {\n  @objc var a = 1\n  override func setValue(_ v: Any?, forKey k: String) {}\n}"
      ))
    #expect(setter.texts[0].contains("override func value(forKey key: String)"))
    #expect(!setter.texts[0].contains("keyValue(value"))
    #expect(setter.left.first?.advice?.contains("set 'a' there") == true)
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
