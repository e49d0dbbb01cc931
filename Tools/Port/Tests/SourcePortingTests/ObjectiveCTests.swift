import Testing

@testable import SourcePorting

/// Behavior of a package's own classes and protocols that only the Objective-C runtime provides.
@Suite struct ObjectiveCTests {
  @Test func `dynamic properties tell of their changes`() {
    #expect(
      port(
        """
        import CoreData
        class Import: NSObject {
          @objc dynamic var count = 0
          @objc dynamic private(set) var names: [String] = []
          @objc dynamic var isBusy: Bool = false { didSet { log() } }
          @objc dynamic var state: Int { get { s } set { s = newValue } }
          @objc var other = 1
        }
        """)
          == """
          import CoreData
          class Import: NSObject, KeyValueNotifying {
            dynamic var count = 0 { willSet { keyValueWillChange("count") } didSet { keyValueDidChange("count") } }
            dynamic private(set) var names: [String] = [] { willSet { keyValueWillChange("names") } didSet { keyValueDidChange("names") } }
            dynamic var isBusy: Bool = false { willSet { keyValueWillChange("isBusy") } didSet { defer { keyValueDidChange("isBusy") }; log() } }
            dynamic var state: Int { get { s } set { keyValueWillChange("state"); defer { keyValueDidChange("state") }; s = newValue } }
            final var other = 1
          }
          """)
  }

  @Test func `who is observed by names lists its properties, below others that do`() {
    let text = port(
      """
      import CoreData
      open class A: NSObject { @objc dynamic var a = 0 }
      class B: A { @objc dynamic var b = 0 }
      class C { dynamic var c = 0 }
      func f() { x.addObserver(y, forKeyPath: "a", options: [], context: nil) }
      """)
    #expect(
      text.contains(
        "open class A: NSObject, KeyValueNotifying { open class var observableProperties: [String: AnyKeyPath] { "
          + "([:] as [String: AnyKeyPath]).merging([\"a\": \\A.a]) { $1 } };"))
    #expect(
      text.contains(
        "class B: A { override class var observableProperties: [String: AnyKeyPath] { "
          + "(super.observableProperties as [String: AnyKeyPath]).merging([\"b\": \\B.b]) { $1 } };"
      ))
    #expect(text.contains("class C { dynamic var c = 0 }"))
  }

  @Test func `classes that tell of changes themselves say so`() {
    let text = """
      import CoreData
      class Meter: NSObject {
        var level = 0
        func raise() { willChangeValue(forKey: "level"); level += 1; didChangeValue(forKey: "level") }
      }
      class Order: NSManagedObject { func f() { didChangeValue(forKey: "a") } }
      class Task: Operation { func f() { didChangeValue(forKey: "isFinished") } }
      let token = Meter().observe(\\.level) { _, _ in }
      """
    #expect(port(text).contains("class Meter: NSObject, KeyValueNotifying {"))
    #expect(port(text).contains("class Order: NSManagedObject {"))
    #expect(port(text).contains("class Task: Operation {"))
    let notes = SourcePort([
      SourceFile(path: "a.swift", fullPath: "/p/a.swift", module: "M", text: text)
    ]).notes
    #expect(notes.filter { $0.advice != nil }.isEmpty)
  }

  @Test func `what observers ask a class overrides nothing`() {
    #expect(
      port(
        """
        import CoreData
        class Task: Operation {
          override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "isFinished" ? ["state"] : super.keyPathsForValuesAffectingValue(forKey: key)
          }
          override class func automaticallyNotifiesObservers(forKey key: String) -> Bool { super.automaticallyNotifiesObservers(forKey: key) }
        }
        """)
          == """
          import CoreData
          class Task: Operation {
            class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
              key == "isFinished" ? ["state"] : Set<String>()
            }
            class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }
          }
          """)
    let managed =
      "import CoreData\nclass O: NSManagedObject { override class func keyPathsForValuesAffectingValue(forKey k: String) -> Set<String> { [] } }"
    #expect(port(managed) == managed)
  }

  @Test func `optional requirements that give nothing back have a body`() {
    #expect(
      port(
        """
        import CoreData
        @objc public protocol StoreDelegate {
          @objc optional func store(_ store: Store, didSave count: Int)
          @objc optional func storeDidClose()
          @objc func required()
        }
        class Store: NSObject {
          weak var delegate: StoreDelegate?
          func f() {
            delegate?.store?(self, didSave: 1)
            (delegate as? StoreDelegate)?.storeDidClose?()
            delegate?.required()
            closure?(1)
          }
        }
        """)
          == """
          import CoreData
          public protocol StoreDelegate: AnyObject {
            func store(_ store: Store, didSave count: Int)
            func storeDidClose()
            func required()
          }
          class Store: NSObject {
            weak var delegate: StoreDelegate?
            func f() {
              delegate?.store(self, didSave: 1)
              (delegate as? StoreDelegate)?.storeDidClose()
              delegate?.required()
              closure?(1)
            }
          }
          #sourceLocation()
          public extension StoreDelegate {
            func store(_ store: Store, didSave count: Int) {}
            func storeDidClose() {}
          }

          """)
  }

  @Test func `optional requirements that give something back have protocols of their own`() {
    #expect(
      port(
        """
        import CoreData
        @objc protocol Source: NSObjectProtocol {
          @objc optional func title(of item: Int) -> String
          @objc func count() -> Int
        }
        @objc protocol LongSource: Source {}
        class A: NSObject, LongSource { func title(of item: Int) -> String { "" } }
        class B: NSObject { func title(of item: Int) -> String { "" } }
        extension B: Source {}
        class C: NSObject, Source {}
        class D: C { func title(of item: Int) -> String { "" } }
        class E: D { override func title(of item: Int) -> String { "" } }
        func f(_ s: Source?) -> String { s?.title?(of: 1) ?? g.source.title?(of: 2) ?? "" }
        """)
          == """
          import CoreData
          protocol Source: NSObjectProtocol {
            
            func count() -> Int
          }
          protocol LongSource: AnyObject, Source {}
          class A: NSObject, LongSource, Source_title_of { func title(of item: Int) -> String { "" } }
          class B: NSObject { func title(of item: Int) -> String { "" } }
          extension B: Source, Source_title_of {}
          class C: NSObject, Source {}
          class D: C, Source_title_of { func title(of item: Int) -> String { "" } }
          class E: D { override func title(of item: Int) -> String { "" } }
          func f(_ s: Source?) -> String { (s as? any Source_title_of)?.title(of: 1) ?? (g.source as? any Source_title_of)?.title(of: 2) ?? "" }
          #sourceLocation()
          protocol Source_title_of: AnyObject {
            func title(of item: Int) -> String
          }

          """)
  }

  @Test func `optional requirements that share a line leave nothing behind`() {
    #expect(
      port(
        "@objc protocol D { @objc optional func a() -> Int; @objc optional func b() -> Int; func c() }"
      )
        == """
        protocol D: AnyObject {   func c() }
        #sourceLocation()
        protocol D_a_: AnyObject {
          func a() -> Int
        }
        protocol D_b_: AnyObject {
          func b() -> Int
        }

        """)
    #expect(
      port(
        "@objc protocol D {\n  @objc optional func a() -> Int; @objc optional func b() -> Int\n}"
      )
      .hasPrefix("protocol D: AnyObject {\n   \n}\n"))
  }

  @Test func `optional requirements of one name in several protocols are named, and legal`() {
    let text = """
      import CoreData
      @objc protocol A { @objc optional func a(); @objc optional func c() -> Int }
      @objc protocol B { @objc optional func a() -> Int; @objc optional var v: Int { get } }
      @objc protocol C { @objc optional func c() -> Int }
      func f(_ o: A) { o.a?() }
      """
    #expect(
      port(text) == """
        import CoreData
        protocol A: AnyObject { func a(); func c() -> Int }
        protocol B: AnyObject { func a() -> Int; var v: Int { get } }
        protocol C: AnyObject { func c() -> Int }
        func f(_ o: A) { o.a() }
        #sourceLocation()
        extension A {
          func a() {}
        }

        """)
    let notes = SourcePort([
      SourceFile(path: "a.swift", fullPath: "/p/a.swift", module: "M", text: text)
    ]).notes
    #expect(notes.filter { $0.advice != nil }.map(\.line) == [2, 3, 3, 4])
  }

  @Test func `requirements of Core Data's protocols are called without a question`() {
    #expect(
      port("import CoreData\nlet t = d?.controller?(c, sectionIndexTitleForSectionName: n) ?? n")
        == "import CoreData\nlet t = d?.controller(c, sectionIndexTitleForSectionName: n) ?? n")
    #expect(port("d?.controllerDidChangeContent?(c)") == "d?.controllerDidChangeContent(c)")
    #expect(port("d?.controller?(c, shows: n)") == "d?.controller?(c, shows: n)")
  }

  @Test func `what an extension gives to a foreign class can be overridden`() {
    #expect(
      port(
        """
        import CoreData
        extension NSManagedObject {
          @objc open func take(_ row: Row, from x: Int) throws -> Bool { row.isNew }
          @objc class var entityName: String { "A" }
          @objc class func make() -> String { entityName }
        }
        class Item: NSManagedObject {
          override func take(_ row: Row, from x: Int) throws -> Bool { try super.take(row, from: x) }
          override class var entityName: String { "I" + super.entityName }
        }
        class Toy: Item {
          override func take(_ row: Row, from x: Int) throws -> Bool { try super.take(row, from: x) }
          override func awakeFromFetch() { super.awakeFromFetch() }
        }
        """)
          == """
          import CoreData
          extension NSManagedObject {
            public func take(_ row: Row, from x: Int) throws -> Bool { if let own = self as? any NSManagedObject_take__from { return try own.take_overridden(row, from: x) }; return try take_inherited(row, from: x) }; public func take_inherited(_ row: Row, from x: Int) throws -> Bool { row.isNew }
            class var entityName: String { if let own = self as? any NSManagedObject_entityName.Type { return own.entityName_overridden }; return entityName_inherited }; static var entityName_inherited: String { "A" }
            class func make() -> String { entityName }
          }
          class Item: NSManagedObject, NSManagedObject_entityName, NSManagedObject_take__from {
            func take_overridden(_ row: Row, from x: Int) throws -> Bool { try take_inherited(row, from: x) }
            class var entityName_overridden: String { "I" + entityName_inherited }
          }
          class Toy: Item {
            override func take_overridden(_ row: Row, from x: Int) throws -> Bool { try super.take_overridden(row, from: x) }
            override func awakeFromFetch() { super.awakeFromFetch() }
          }
          #sourceLocation()
          public protocol NSManagedObject_take__from: AnyObject {
            func take_overridden(_ row: Row, from x: Int) throws -> Bool
          }
          protocol NSManagedObject_entityName: AnyObject {
            static var entityName_overridden: String { get }
          }

          """)
  }

  @Test func `a settable property of an extension can be overridden`() {
    #expect(
      port(
        """
        import CoreData
        extension NSManagedObject {
          @objc var label: String {
            get { "none" }
            set(text) { print(text) }
          }
        }
        class Post: NSManagedObject {
          override var label: String { get { "p" + super.label } set { super.label = newValue } }
        }
        class Page: Post {
          override var label: String {
            get { super.label }
            set { super.label = newValue + "!" }
          }
        }
        """)
          == """
          import CoreData
          extension NSManagedObject {
            var label: String { get { if let own = self as? any NSManagedObject_label { return own.label_overridden }; return label_inherited } set { if let own = self as? any NSManagedObject_label { own.label_overridden = newValue } else { label_inherited = newValue } } }; var label_inherited: String {
              get { "none" }
              set(text) { print(text) }
            }
          }
          class Post: NSManagedObject, NSManagedObject_label {
            var label_overridden: String { get { "p" + label_inherited } set { label_inherited = newValue } }
          }
          class Page: Post {
            override var label_overridden: String {
              get { super.label_overridden }
              set { super.label_overridden = newValue + "!" }
            }
          }
          #sourceLocation()
          protocol NSManagedObject_label: AnyObject {
            var label_overridden: String { get set }
          }

          """)
  }

  @Test func `policies answer the selectors of mappings`() {
    #expect(
      port(
        """
        import CoreData
        public final class CentsPolicy: NSEntityMigrationPolicy {
          @objc(currencyForNote:in:) func currency(forNote note: String?, in list: NSArray) -> String { "" }
          @objc func check(_ value: Any?) throws {}
          @objc func today() -> Date { Date() }
          func plain() -> Int { 1 }
          override func begin(_ m: NSEntityMapping, with n: NSMigrationManager) throws {}
        }
        class Other: NSObject { @objc func today() -> Date { Date() } }
        """)
          == """
          import CoreData
          public final class CentsPolicy: NSEntityMigrationPolicy { public override func value(of selector: String, arguments: [Any?]) throws -> Any? { switch selector { case "currencyForNote:in:": if arguments.count == 2, let argument1 = arguments[1] as? NSArray { return currency(forNote: arguments[0] as? String, in: argument1) } case "check:": if arguments.count == 1 { try check(arguments[0]); return nil } case "today": if arguments.count == 0 { return today() } default: break }; return try super.value(of: selector, arguments: arguments) };
            func currency(forNote note: String?, in list: NSArray) -> String { "" }
            func check(_ value: Any?) throws {}
            func today() -> Date { Date() }
            func plain() -> Int { 1 }
            override func begin(_ m: NSEntityMapping, with n: NSMigrationManager) throws {}
          }
          class Other: NSObject { func today() -> Date { Date() } }
          """)
    // The last method may be on the line of the closing brace.
    #expect(
      port(
        "import CoreData\nclass P: NSEntityMigrationPolicy { @objc func now() -> Date { Date() } }")
          == """
          import CoreData
          class P: NSEntityMigrationPolicy { override func value(of selector: String, arguments: [Any?]) throws -> Any? { switch selector { case "now": if arguments.count == 0 { return now() } default: break }; return try super.value(of: selector, arguments: arguments) }; func now() -> Date { Date() } }
          """)
  }

  @Test func `only a policy's own method for selectors is left alone`() {
    func ported(_ method: String) -> (text: String, lines: [Int]) {
      let file = SourceFile(
        path: "0.swift", fullPath: "/p/0.swift", module: "M",
        text:
          "import CoreData\nclass P: NSEntityMigrationPolicy {\n  @objc func now() -> Date { Date() }\n  \(method)\n}"
      )
      let port = SourcePort([file])
      return (port.results[0].text, port.notes.filter { $0.advice != nil }.map(\.line))
    }
    let other = ported("func value(at index: Int) -> Int { index }")
    #expect(other.text.contains("case \"now\": if arguments.count == 0 { return now() }"))
    #expect(other.lines.isEmpty)
    let own = ported(
      "override func value(of selector: String, arguments: [Any?]) throws -> Any? { nil }")
    #expect(!own.text.contains("case \"now\""))
    #expect(own.lines == [2])
  }

  @Test func `notifications before a change are named as missing`() {
    let text = """
      import CoreData
      class O: NSManagedObject { @NSManaged var a: String? }
      func f(_ o: O) {
        o.addObserver(t, forKeyPath: #keyPath(O.a), options: [.new, .prior], context: nil)
        _ = o.observe(\\.a, options: .new) { _, _ in }
        keyValueObservingExpectation(for: o, keyPath: "a", expectedValue: 1)
      }
      """
    let notes = SourcePort([
      SourceFile(path: "a.swift", fullPath: "/p/a.swift", module: "M", text: text)
    ]).notes
    #expect(notes.filter { $0.advice != nil }.map(\.line) == [4, 6])
  }

  @Test func `pointers to variables are the variables`() {
    #expect(
      port(
        """
        import CoreData
        func check(_ o: NSManagedObject) throws {
          var value: AnyObject?
          let pointer = AutoreleasingUnsafeMutablePointer<AnyObject?>(&value)
          try o.validateValue(pointer, forKey: "a")
          print(pointer.pointee ?? "-", o.pointer)
          try o.validateValue(AutoreleasingUnsafeMutablePointer(&value), forKey: "b")
        }
        """)
          == """
          import CoreData
          func check(_ o: NSManagedObject) throws {
            var value: AnyObject?
            
            try o.validateValue(&value, forKey: "a")
            print(value ?? "-", o.pointer)
            try o.validateValue(&value, forKey: "b")
          }
          """)
    let text = """
      import CoreData
      func f() -> AutoreleasingUnsafeMutablePointer<AnyObject?> {
        var value: AnyObject?
        return AutoreleasingUnsafeMutablePointer(&value)
      }
      func g() {
        let kept = AutoreleasingUnsafeMutablePointer<AnyObject?>(&value)
        keep = kept
      }
      """
    #expect(port(text) == text)
    let notes = SourcePort([
      SourceFile(path: "a.swift", fullPath: "/p/a.swift", module: "M", text: text)
    ]).notes
    #expect(notes.filter { $0.advice != nil }.map(\.line) == [4, 7])
  }

  @Test func `protocols of Objective-C's are classes' alone`() {
    #expect(port("@objc(P) protocol P {}") == "protocol P: AnyObject {}")
    #expect(port("@objc protocol P: Q {}") == "protocol P: AnyObject, Q {}")
    #expect(port("@objc protocol P: NSObjectProtocol {}") == "protocol P: NSObjectProtocol {}")
  }
}
