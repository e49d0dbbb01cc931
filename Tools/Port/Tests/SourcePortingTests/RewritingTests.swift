import Testing

@testable import SourcePorting

/// Returns the port of one source, without the line that names the original.
func port(_ text: String, _ others: String...) -> String {
  let files = ([text] + others).enumerated().map {
    SourceFile(path: "\($0).swift", fullPath: "/p/\($0).swift", module: "M", text: $1)
  }
  return SourcePort(files).results[0].text.replacing(
    "#sourceLocation(file: \"/p/0.swift\", line: 1)\n", with: "")
}

@Suite struct RewritingTests {
  @Test func `managed properties get accessors`() {
    #expect(
      port("class P: NSManagedObject { @NSManaged public var name: String? // its name\n}")
        == """
        import CoreData
        class P: NSManagedObject { public var name: String? { get { managed("name") } set { setManaged(newValue, "name") } } // its name
        }
        """)
    #expect(
      port("@objc(key)\n  @NSManaged private(set) var a, b: Int")
        == """

          private(set) var a: Int { get { managed("key") } set { setManaged(newValue, "key") } }; private(set) var b: Int { get { managed("key") } set { setManaged(newValue, "key") } }
        """)
    #expect(
      port("@available(iOS 13,\n  *) @NSManaged public var a: String, b: String?,c: Int")
        == """
        @available(iOS 13,
          *) public var a: String { get { managed("a") } set { setManaged(newValue, "a") } }; @available(iOS 13,   *) public var b: String? { get { managed("b") } set { setManaged(newValue, "b") } }; @available(iOS 13,   *) public var c: Int { get { managed("c") } set { setManaged(newValue, "c") } }
        """)
    #expect(
      port("@NSManaged var primitiveName: String!")
        == "var primitiveName: String! { get { managedPrimitive(\"name\") } set { setManagedPrimitive(newValue, \"name\") } }"
    )
  }

  @Test(arguments: [
    (
      "@objc(addPetsObject:) @NSManaged public func addToPets(_ value: Pet)",
      "public func addToPets(_ value: Pet) { addObject(value, toRelationshipNamed: \"pets\") }"
    ),
    (
      "@objc(removePets:) @NSManaged public func removeFromPets(_ values: NSSet)",
      "public func removeFromPets(_ values: NSSet) { removeObjects(values, fromRelationshipNamed: \"pets\") }"
    ),
    (
      "@objc(insertObject:inPetsAtIndex:) @NSManaged func insertIntoPets(_ value: Pet, at idx: Int)",
      "func insertIntoPets(_ value: Pet, at idx: Int) { mutableOrderedSetValue(forKey: \"pets\").insert(value, at: idx) }"
    ),
    (
      "@objc(replacePetsAtIndexes:withPets:) @NSManaged func replacePets(at indexes: NSIndexSet, with values: [Pet])",
      "func replacePets(at indexes: NSIndexSet, with values: [Pet]) { mutableOrderedSetValue(forKey: \"pets\").replaceObjects(at: IndexSet(indexes.map { $0 }), with: values.map { $0 }) }"
    ),
  ])
  func `managed methods get bodies`(original: String, ported: String) {
    #expect(port(original) == ported)
  }

  @Test func `a relationship keeps the case of its declaration`() {
    let text = port(
      "extension P { @objc(addURLsObject:) @NSManaged func addToURLs(_ value: U) }",
      "class P { @NSManaged var URLs: NSSet }")
    #expect(text.contains("toRelationshipNamed: \"URLs\""))
  }

  @Test func `Objective-C attributes go, and named classes are told`() {
    let text = port(
      "@objc(PersonMO)\n@objcMembers public class Person: NSManagedObject {\n  @nonobjc func f() {}\n}"
    )
    #expect(
      text.hasPrefix("import CoreData\n\npublic class Person: NSManagedObject {\n  func f() {}\n}"))
    #expect(text.contains("final class NamedClasses_0_swift: NamedClasses {"))
    #expect(text.contains("[\"PersonMO\": Person.self]"))
  }

  @Test(arguments: [
    ("#keyPath(Car.maker.name)", "\"maker.name\""),
    ("#keyPath(Garage.Car.`default`)", "\"default\""),
    ("#keyPath(self.name)", "\"name\""),
    ("[#keyPath(a), #keyPath(B.c)]", "[\"a\", \"c\"]"),
    ("\"#keyPath(a)\" // #keyPath(b)", "\"#keyPath(a)\" // #keyPath(b)"),
  ])
  func `key paths become texts`(original: String, ported: String) {
    #expect(port("let k = " + original) == "let k = " + ported)
  }

  @Test func `a key path has the name that Objective-C knows`() {
    #expect(
      port("let k = #keyPath(Car.owner)", "class Car { @objc(theOwner) var owner: Int }")
        == "let k = \"theOwner\"")
    let classes = """
      class Thing { @objc(theOwner) var owner: Person? }
      class Car: Thing { var wheels: Set<Wheel> = [] }
      class Person { @objc(fullName) var name: String }
      class Wheel { @objc(diameter) var size: Int }
      """
    #expect(port("let k = #keyPath(Car.owner.name)", classes) == "let k = \"theOwner.fullName\"")
    #expect(port("let k = #keyPath(Car.wheels.size)", classes) == "let k = \"wheels.diameter\"")
  }

  @Test(arguments: [
    ("#keyPath(Doc.URL.path)", "\"URL.path\""), ("#keyPath(Doc.URL)", "\"URL\""),
    ("#keyPath(Folder.Doc.URL.path)", "\"URL.path\""), ("#keyPath(Copy.URL.path)", "\"URL.path\""),
    ("#keyPath(NSURL.path)", "\"path\""),
  ])
  func `an uppercase key is kept`(original: String, ported: String) {
    let classes = "class Doc { @objc var URL: NSURL }\nclass Copy: Doc {}"
    #expect(port("let k = " + original, classes) == "let k = " + ported)
  }

  @Test func `a selector calls the method it means`() {
    let text = port(
      """
      import CoreData
      class Stack {
        func begin() { center.addObserver(self, selector: #selector(Stack.didSave(_:)), name: n, object: nil) }
        @objc func didSave(_ notification: Notification) {}
        let end = #selector(finish)
        let heard = #selector(self.hear(notification:))
        @objc func finish() {}
        @objc func hear(notification: Notification) {}
        let order = #selector(NSString.localizedStandardCompare(_:))
      }
      """)
    #expect(
      text.contains(
        "selector: Selector(\"didSave:\", calls: { (object: Stack, argument: Notification) in object.didSave(argument) }), name: n"
      ))
    #expect(
      text.contains("= Selector(\"finish\", calls: { (object: Stack) in object.finish() })"))
    #expect(
      text.contains(
        "Selector(\"hearWithNotification:\", calls: { (object: Stack, argument: Notification) in object.hear(notification: argument) })"
      ))
    #expect(text.contains("let order = Selector(\"localizedStandardCompare:\")"))
  }

  @Test func `observers adopt what calls them`() {
    let text = port(
      """
      import CoreData
      class W: NSObject {
        override func observeValue(forKeyPath k: String?, of o: Any?) {
          super.observeValue(forKeyPath: k, of: o)
        }
      }
      """)
    #expect(text.contains("  func observeValue(forKeyPath k: String?, of o: Any?) {\n    ()\n"))
    #expect(text.contains("extension W: KeyValueObserver {}"))
  }

  @Test func `what objects and the module can do is not told of`() {
    let text = """
      extension P { @NSManaged var age: Int16 }
      func f() {
        objc_sync_enter(self)
        p.addObserver(self, forKeyPath: #keyPath(P.age), options: [], context: nil)
        p.addObserver(self, forKeyPath: "age", options: [], context: nil)
        player.addObserver(self, forKeyPath: "rate", options: [], context: nil)
        objc_getClass("P")
        let table = NSPointerArray.weakObjects()
      }
      """
    let notes = SourcePort([
      SourceFile(path: "a.swift", fullPath: "/p/a.swift", module: "M", text: text)
    ]).notes.filter { $0.advice != nil }
    #expect(notes.map(\.line).sorted() == [6, 7, 8])
  }

  @Test func `what the runtime casts is cast here`() {
    #expect(port("(a as AnyObject).isKind(of: c)") == "(a as AnyObject as! NSObject).isKind(of: c)")
    #expect(port("(a as AnyObject).own()") == "(a as AnyObject).own()")
    #expect(
      port("d.setOption(FileProtectionType.complete as NSObject, forKey: k)")
        == "d.setOption(FileProtectionType.complete.rawValue as NSString, forKey: k)")
  }

  @Test func `observers of what an extension gives to foreign classes are left`() {
    func notes(_ text: String) -> [Int] {
      SourcePort([
        SourceFile(path: "a.swift", fullPath: "/p/a.swift", module: "M", text: text)
      ]).notes.filter { $0.kind == .extensionOverride && $0.advice != nil }.map(\.line)
    }
    let base = "extension NSManagedObject { @objc var mark: Int { get { 1 } set {} } }\n"
    let own = "class P: NSManagedObject { override var mark: Int { didSet { update() } } }"
    #expect(notes(base + own) == [2])
    #expect(notes(own) == [])
  }

  @Test func `sets are made of array literals`() {
    let declared = "extension P { @NSManaged var cars: NSSet?\n@NSManaged var list: [Int] }"
    #expect(
      port("person.cars = [a, b]\nperson.list = [1]\nperson.cars = nil", declared)
        == "person.cars = NSSet(array: [a, b])\nperson.list = [1]\nperson.cars = nil")
    #expect(
      port("f(person.cars ?? [], (x as? NSOrderedSet) ?? [], person.list ?? [])", declared)
        == "f(person.cars ?? NSSet(array: []), (x as? NSOrderedSet) ?? NSOrderedSet(array: []), "
        + "person.list ?? [])")
    #expect(
      port("expect(person.cars == [a], person.list != [])", declared)
        == "expect(person.cars == NSSet(array: [a]), person.list != [])")
    let adding =
      "extension P { func add(_ v: Car) {}\nfunc add(_ v: NSSet) {}\nfunc put(_ v: [Car]) {} }"
    #expect(
      port("p.add([a])\np.put([a])\np.add(a)", adding)
        == "p.add(NSSet(array: [a]))\np.put([a])\np.add(a)")
  }

  @Test func `waiting has an end`() {
    #expect(port("wait(for: [a, b])") == "wait(for: [a, b], timeout: 86_400)")
    #expect(
      port("await self.fulfillment(of: [a], enforceOrder: true)")
        == "await self.fulfillment(of: [a], timeout: 86_400, enforceOrder: true)")
    #expect(port("wait(for: [a], timeout: 1)") == "wait(for: [a], timeout: 1)")
  }

  @Test func `transformers can be made without arguments`() {
    #expect(
      port("import CoreData\npublic class T: ValueTransformer { init(a: Int) { super.init() } }")
        .contains(
          "{ public required init() { preconditionFailure(\"T.init()\") }; init(a: Int)"))
    #expect(
      port("import CoreData\nclass T: ValueTransformer { override init() { super.init() } }")
        .contains(
          "{ required init() { super.init() } }"))
    let text = port("import CoreData\nclass T: ValueTransformer, P {}\nfinal class S: T {}")
    #expect(text.contains("class T: ValueTransformer, P, @unchecked Sendable {}"))
    #expect(text.contains("final class S: T, @unchecked Sendable {}"))
    let said = "import CoreData\nclass T: ValueTransformer, @unchecked Sendable {}"
    #expect(port(said) == said)
    #expect(
      port("let c = \"\\(T.self.classForCoder())\"") == "let c = \"\\((T.self as AnyClass))\"")
  }

  @Test func `bundles have no identifiers, and other methods for their resources`() {
    #expect(
      port("let n = Bundle(for: A.self).bundleIdentifier!")
        == "let n = (Bundle(for: A.self).bundleIdentifier ?? ProcessInfo.processInfo.processName)")
    #expect(
      port("import CoreData\nlet u = b.urls(forResourcesWithExtension: e, subdirectory: nil)")
        == "import CoreData\nlet u = b.urls(ofResourcesWithExtension: e, subdirectory: nil)")
  }

  @Test func `casts of requests become conversions`() {
    #expect(
      port("import CoreData\nlet a = try! fetch(x + y) as! NSFetchRequest<Car>")
        == "import CoreData\nlet a = try! NSFetchRequest<Car>.converted(from: fetch(x + y))!")
    #expect(
      port(
        "import CoreData\nguard let a = request\n  .copy() as? NSFetchRequest<any R> else { return }"
      )
        == "import CoreData\nguard let a = NSFetchRequest<any R>.converted(from: request\n  .copy()) else { return }"
    )
    #expect(
      port("import CoreData\nlet r = try? context.execute(q) as? NSAsynchronousFetchResult<Car>")
        == "import CoreData\nlet r = try? NSAsynchronousFetchResult<Car>.converted(from: context.execute(q))"
    )
    #expect(
      port("import CoreData\nlet c = controller as! NSFetchedResultsController<Car>")
        == "import CoreData\nlet c = NSFetchedResultsController<Car>.converted(from: controller)!")
    let plain = "import CoreData\nlet a = make() as NSFetchRequest<NSManagedObjectID>"
    #expect(port(plain) == plain)
  }

  @Test func `overrides move from extensions into their classes, and keep their lines`() {
    let text = port(
      """
      class A: NSManagedObject {
        var x = 1
      }
      extension A {
        override func awakeFromInsert() {
          k = #keyPath(A.x)
        }
        func other() {}
      }
      """)
    #expect(
      text == """
        import CoreData
        class A: NSManagedObject {
          var x = 1

        #sourceLocation(file: "/p/0.swift", line: 5)
        override func awakeFromInsert() {
            k = "x"
          }
        #sourceLocation(file: "/p/0.swift", line: 3)
        }
        extension A {
          


          func other() {}
        }
        """)
  }

  @Test func `a generated class is written where a member must stand in it`() {
    let model = """
      <model><entity name="Base" representedClassName=".Base" isAbstract="YES" codeGenerationType="class">
      </entity><entity name="Item" representedClassName="ShopItem" parentEntity="Base" codeGenerationType="class">
      </entity><entity name="Other" representedClassName="Other" codeGenerationType="category"/></model>
      """
    let classes = GeneratedClass.classes(ofModel: model)
    #expect(
      classes == [
        GeneratedClass(name: "Base", superclass: "NSManagedObject"),
        GeneratedClass(name: "ShopItem", superclass: "Base"),
      ])
    let texts = ["awakeFromInsert", "willSave"].map {
      "import CoreData\nextension ShopItem {\n  public override func \($0)() { super.\($0)() }\n}"
    }
    let port = SourcePort(
      texts.enumerated().map {
        SourceFile(path: "\($0).swift", fullPath: "/p/\($0).swift", module: "M", text: $1)
      }
    ) { _ in PortOptions(generatedClasses: classes) }
    #expect(
      port.results[0].text.hasSuffix(
        """
        extension ShopItem {
          
        }
        #sourceLocation()
        public class ShopItem: Base {
        #sourceLocation(file: "/p/0.swift", line: 3)
        public override func awakeFromInsert() { super.awakeFromInsert() }
        #sourceLocation()
        #sourceLocation(file: "/p/1.swift", line: 3)
        public override func willSave() { super.willSave() }
        #sourceLocation()
        }

        """))
    #expect(port.results[1].text.hasSuffix("extension ShopItem {\n  \n}"))
    #expect(port.notes.allSatisfy { $0.advice == nil })
    #expect(port.writtenClasses == ["M": ["ShopItem"]])
    let changed = GeneratedClass.model(model, withoutClasses: ["ShopItem"])
    #expect(GeneratedClass.classes(ofModel: changed).map(\.name) == ["Base"])
    #expect(changed.contains("parentEntity=\"Base\" codeGenerationType=\"category\""))
  }

  @Test func `imports of what is not here`() {
    #expect(port("import CoreData.CoreDataDefines\nimport os.log") == "import CoreData\n")
    #expect(
      port("import Combine")
        == "import OpenCombine; import OpenCombineDispatch; import OpenCombineFoundation")
    #expect(
      port("#if canImport(UIKit)\nimport UIKit\n#endif")
        == "#if canImport(UIKit)\nimport UIKit\n#endif")
    #expect(port("let e: NSExpression").hasPrefix("import CoreData\n"))
    #expect(port("import Foundation\nextension NSPredicate {}").hasPrefix("import CoreData\n"))
    #expect(
      port("import CoreData\nlet t: Foundation.ValueTransformer")
        == "import CoreData\nlet t: CoreData.ValueTransformer")
  }

  @Test func `of conditions on Apple's systems the first holds`() {
    #expect(
      port("#if os(iOS) || os(tvOS)\nlet a = 1\n#elseif os(macOS)\nlet a = 2\n#endif")
        == "#if os(iOS) || os(tvOS) || os(Linux)\nlet a = 1\n#elseif os(macOS)\nlet a = 2\n#endif")
    let kept = "#if os(iOS)\nlet a = 1\n#else\nlet a = 2\n#endif"
    #expect(port(kept) == kept)
    let alone = "#if os(macOS)\nlet a = 1\n#endif"
    #expect(port(alone) == alone)
  }

  @Test func `what can't be rewritten is told with its place`() {
    let text = """
      import SwiftUI
      let token = window.observe(\\.title) { _, _ in }
      @objc protocol P { @objc optional var f: Int { get } }
      """
    let notes = SourcePort([
      SourceFile(path: "a.swift", fullPath: "/p/a.swift", module: "M", text: text)
    ]).notes.filter { $0.advice != nil }
    #expect(notes.map(\.line).sorted() == [1, 2, 3])
    #expect(Set(notes.map(\.kind)) == [.framework, .observing, .runtime])
  }

  @Test func `checks of properties are listed by their classes`() {
    let check = "(_ v: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}"
    #expect(
      port(
        "import CoreData\npublic class P: NSManagedObject {\n  @objc func validateAge\(check)\n}",
        "extension P { @objc func validateURL\(check) }", "class Q { func validateAge\(check) }")
          == """
          import CoreData
          public class P: NSManagedObject { public override class var propertyValidators: [String: PropertyValidator] { \
          super.propertyValidators.merging(["Age": PropertyValidator(P.validateAge), "age": PropertyValidator(P.validateAge), \
          "URL": PropertyValidator(P.validateURL), "uRL": PropertyValidator(P.validateURL)]) { $1 } };
            func validateAge\(check)
          }
          """)
    // In other classes, nothing calls them.
    let plain = "class Q: NSObject { func validateAge\(check) }"
    #expect(port(plain) == plain)
    let consistent = "class P: NSManagedObject { func validateConsistency() throws {} }"
    #expect(!port(consistent).contains("propertyValidators"))
  }

  @Test func `a stored property that has a name keeps it in key paths`() {
    #expect(
      port("class A { @objc var x: Int?\n@objc public var y = 1\n@objc var z: Int { 1 } }")
        == "class A { final var x: Int?\nfinal public var y = 1\nvar z: Int { 1 } }")
  }

  @Test func `a package's own protocol comes before MomKit's type of that name`() {
    let files = [
      SourceFile(
        path: "e.swift", fullPath: "/p/e.swift", module: "Model",
        text: "import CoreData\nimport Kit\nclass Event: NSManagedObject, Managed {}"),
      SourceFile(
        path: "m.swift", fullPath: "/p/m.swift", module: "Kit", text: "public protocol Managed {}"),
    ]
    #expect(SourcePort(files).results[0].text.hasPrefix("import protocol Kit.Managed\n"))
  }

  @Test func `a package's own type comes before Foundation's of that name`() {
    let files = [
      SourceFile(
        path: "t.swift", fullPath: "/p/t.swift", module: "Tests",
        text: "@testable import Query\nlet s: SortDescriptor<Int>"),
      SourceFile(
        path: "q.swift", fullPath: "/p/q.swift", module: "Query",
        text: "public struct SortDescriptor<T> {}"),
    ]
    let results = SourcePort(files).results
    #expect(results[0].text.hasPrefix("import struct Query.SortDescriptor\n#sourceLocation"))
    #expect(results[1].text.hasPrefix("#sourceLocation"))
  }
}
