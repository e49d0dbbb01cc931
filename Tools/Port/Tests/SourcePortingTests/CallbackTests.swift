import Testing

@testable import SourcePorting

/// Methods that the Objective-C runtime would find.
@Suite struct CallbackTests {
  private func notes(_ texts: String...) -> [PortNote] {
    SourcePort(
      texts.enumerated().map {
        SourceFile(path: "\($0).swift", fullPath: "/p/\($0).swift", module: "M", text: $1)
      }
    ).notes.filter { $0.advice != nil }
  }

  private let check =
    "func validateValue(_ v: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws"

  @Test func `saves call an override of the validation of all properties`() {
    let announced = "override class var validatesEachValue: Bool { true }"
    #expect(
      port("import CoreData\nclass P: NSManagedObject {\n  override \(check) {\n    f()\n  }\n}")
        == "import CoreData\nclass P: NSManagedObject {\n  override \(check) {\n    f()\n  }; \(announced)\n}"
    )
    #expect(
      port("import CoreData\nopen class P: NSManagedObject { @objc open override \(check) {} }")
        == "import CoreData\nopen class P: NSManagedObject { open override \(check) {}; open \(announced) }"
    )
    let own = "import CoreData\nclass P: NSManagedObject { override \(check) {}\n\(announced) }"
    #expect(port(own) == own)
    let other = "import CoreData\nclass P: NSManagedObject { \(check) {} }"
    #expect(port(other) == other)
  }

  @Test func `an override that moves takes along that saves call it`() {
    let moved = "extension P {\n  override \(check) {}\n}"
    #expect(
      port("class P: NSManagedObject {}", moved).contains(
        "\noverride \(check) {}; override class var validatesEachValue: Bool { true }\n"))
    let file = SourceFile(path: "0.swift", fullPath: "/p/0.swift", module: "M", text: moved)
    let written = SourcePort([file]) { _ in
      PortOptions(generatedClasses: [GeneratedClass(name: "P", superclass: "NSManagedObject")])
    }.results[0].text
    #expect(
      written.contains(
        "\noverride \(check) {}; override class var validatesEachValue: Bool { true }\n"))
  }

  @Test func `an override in a class that may not be managed is told of`() {
    let text = "class P: Unknown { override \(check) {} }"
    #expect(port(text) == text)
    #expect(notes(text).map(\.kind) == [.validator])
  }

  @Test func `delegate's methods that nothing calls are told of`() {
    let delegate = "NSFetchedResultsControllerDelegate"
    let change = "func controllerDidChangeContent(_ c: NSFetchedResultsController<any R>) {}"
    let found = notes(
      "class Base: NSObject {}\nextension Base: \(delegate) {}",
      "class Middle: Base {}\nfinal class Notes: Middle {\n  \(change)\n}")
    #expect(found.map(\.line) == [3])
    #expect(found.first?.advice?.contains("in 'Base'") == true)
    for called in [
      "class Base: NSObject, \(delegate) { \(change) }\nclass Notes: Base { override \(change) }",
      "class Base: NSObject {}\nclass Notes: Base, \(delegate) { \(change) }",
      "class Base: NSObject, \(delegate) {}\nclass Notes: Base { func controllerDidChange() {} }",
      "class Base: NSObject, Coding {}\nclass Notes: Base { \(change) }",
    ] {
      #expect(notes(called).isEmpty)
    }
  }
}
