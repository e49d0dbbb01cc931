import Foundation
import PredicateFormat
import Synchronization
import TestSupport
import Testing

@testable import DataModels

/// Violates each rule separately: exactly the expected findings must be reported.
@Suite struct ModelCheckTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// `severity code [place]`, one for each finding.
    let expected: [String]
    let make: @Sendable () -> NSManagedObjectModel

    init(
      _ name: String, _ expected: [String], _ make: @escaping @Sendable () -> NSManagedObjectModel
    ) {
      self.name = name
      self.expected = expected
      self.make = make
    }

    var testDescription: String { name }
  }

  @Test(arguments: entityCases + propertyCases + relationshipCases + indexCases + modelCases)
  func finds(broken: Case) {
    let findings = broken.make().findings()
    #expect(findings.map(Self.summary) == broken.expected, "\(findings)")
    for finding in findings { #expect(!finding.message.isEmpty) }
  }

  @Test func validateThrowsEveryErrorAtOnce() {
    let broken = model([entity("A", [attribute("x", .undefined), attribute("hash")]), entity("A")])
    broken.entities[1].isAbstract = true
    let error = #expect(throws: ModelError.self) { try broken.validate() }
    #expect(error?.code == .invalid)
    #expect(error?.findings.map(\.code) == [.reservedName, .attributeType, .duplicateEntity])
    #expect(
      error?.description.hasPrefix(
        "the model can't be used: 3 rules are broken\nerror: [A.hash] the name is") == true)
    #expect(throws: Never.self) { try model([entity("A", [attribute("x")])]).validate() }
  }

  private static func summary(_ finding: ModelFinding) -> String {
    let place = [finding.entity, finding.property].compactMap { $0 }.joined(separator: ".")
    return "\(finding.severity) \(finding.code.rawValue) \(place)"
  }

  static let entityCases: [Case] = [
    Case("nothing", []) { model([entity("A", [attribute("x")])]) },
    Case("no name", ["error entity-name "]) { model([NSEntityDescription()]) },
    Case("odd name", ["warning entity-name A B"]) { model([entity("A B")]) },
    Case("names from outside ASCII", []) { model([entity("Größe", [attribute("数2")])]) },
    Case("same name", ["error duplicate-entity A"]) { model([entity("A"), entity("A")]) },
    Case("same but for case", ["warning duplicate-entity AB"]) {
      model([entity("ab"), entity("AB")])
    },
    Case("same renaming identifiers", ["warning renaming-identifier B"]) {
      let (a, b) = (entity("A"), entity("B"))
      a.renamingIdentifier = "Old"
      b.renamingIdentifier = "Old"
      return model([a, b])
    },
    Case("abstract leaf", ["warning abstract-leaf A"]) {
      let a = entity("A")
      a.isAbstract = true
      return model([a])
    },
    Case("subentity elsewhere", ["error hierarchy A"]) {
      let a = entity("A")
      a.subentities = [entity("B")]
      return model([a])
    },
    Case("superentity elsewhere", ["error hierarchy B"]) {
      let b = entity("B")
      Kept.keep(entity("A")).subentities = [b]
      return model([b])
    },
    Case("two parents", ["error hierarchy A"]) {
      let (a, b, c) = (entity("A"), entity("B"), entity("C"))
      a.setSubentitiesUnchecked([c])
      b.setSubentitiesUnchecked([c])
      return model([a, b, c])
    },
    Case("circle", ["error hierarchy-cycle A"]) {
      let (a, b, c) = (entity("A"), entity("B", [attribute("x")]), entity("C"))
      a.storedSuperentity = b
      b.storedSuperentity = a
      c.storedSuperentity = b
      return model([a, b, c])
    },
    Case("unknown unique name", ["error uniqueness A.y"]) {
      let a = entity("A", [attribute("x")])
      a.uniquenessConstraints = [["x", "y"]]
      return model([a])
    },
    Case("inherited unique name", []) {
      let (a, b) = (entity("A", [attribute("x")]), entity("B"))
      a.subentities = [b]
      b.uniquenessConstraints = [["x"]]
      return model([a, b])
    },
    Case("empty and unstored unique", ["warning uniqueness A", "error uniqueness A.t"]) {
      let t = attribute("t")
      t.isTransient = true
      let a = entity("A", [t])
      a.uniquenessConstraints = [[], ["t"]]
      return model([a])
    },
    Case("to-many unique", ["error uniqueness A.r"]) {
      let r = relationship("r")
      let a = entity("A", [r])
      r.destinationEntity = a
      r.inverseRelationship = r
      a.uniquenessConstraints = [["r"]]
      return model([a])
    },
  ]

  static let propertyCases: [Case] = [
    Case("no name", ["error property-name A"]) { model([entity("A", [attribute("")])]) },
    Case("odd name", ["warning property-name A.1x"]) { model([entity("A", [attribute("1x")])]) },
    Case("reserved name", ["error reserved-name A.description"]) {
      model([entity("A", [attribute("description")])])
    },
    Case("same name", ["error duplicate-property A.x"]) {
      model([entity("A", [attribute("x"), attribute("x")])])
    },
    Case("same but for case", ["warning duplicate-property A.X"]) {
      model([entity("A", [attribute("x"), attribute("X")])])
    },
    Case("same renaming identifiers", ["warning renaming-identifier A.y"]) {
      let (x, y) = (attribute("x"), attribute("y"))
      y.renamingIdentifier = "x"
      return model([entity("A", [x, y])])
    },
    Case("shadowing", ["error shadowing C.x"]) {
      let (a, b, c) = (entity("A", [attribute("x")]), entity("B"), entity("C", [attribute("x")]))
      a.subentities = [b]
      b.subentities = [c]
      return model([c, b, a])
    },
    Case("sibling", []) {
      let (a, b, c) = (entity("A"), entity("B", [attribute("x")]), entity("C", [attribute("x")]))
      a.subentities = [b, c]
      return model([a, b, c])
    },
    Case("stored and undefined", ["error attribute-type A.x"]) {
      model([entity("A", [attribute("x", .undefined)])])
    },
    Case("transient and undefined", []) {
      let x = attribute("x", .undefined)
      x.isTransient = true
      return model([entity("A", [x])])
    },
    Case("object ID", ["error attribute-type A.x"]) {
      model([entity("A", [attribute("x", .objectID)])])
    },
    Case("composite type", ["error attribute-type A.x"]) {
      model([entity("A", [attribute("x", .composite)])])
    },
    Case("default", ["error default-value A.x"]) {
      let x = attribute("x", .integer16)
      x.defaultValue = 1 << 20
      return model([entity("A", [x])])
    },
    Case("external storage", ["warning external-storage A.x"]) {
      let x = attribute("x", .string)
      x.allowsExternalBinaryDataStorage = true
      return model([entity("A", [x])])
    },
    Case("warnings missing", ["error validation-warnings A.x"]) {
      let x = attribute("x")
      x.setValidation([NSPredicate(value: true)], warnings: [])
      return model([entity("A", [x])])
    },
    Case("warning of another type", ["error validation-warnings A.x"]) {
      let x = attribute("x")
      x.setValidation([NSPredicate(value: true)], warnings: [Date()])
      return model([entity("A", [x])])
    },
    Case("bounds crossed", ["error bounds A.x"]) {
      let x = attribute("x", .integer32)
      x.setValidation(
        [
          NSPredicate(.compare(.evaluatedObject, .greaterThanOrEqualTo, .constant(10))),
          NSPredicate(.compare(.evaluatedObject, .lessThanOrEqualTo, .constant(9))),
        ], warnings: [1620, 1610])
      return model([entity("A", [x])])
    },
    Case("lengths crossed, bounds touching", ["error bounds A.s"]) {
      let (x, s) = (attribute("x", .double), attribute("s"))
      x.setValidation(
        [
          NSPredicate(.compare(.evaluatedObject, .greaterThanOrEqualTo, .constant(0.5))),
          NSPredicate(.compare(.evaluatedObject, .lessThanOrEqualTo, .constant(0.5))),
        ], warnings: [1620, 1610])
      s.setValidation(
        [
          NSPredicate(.compare(.key("length"), .greaterThanOrEqualTo, .constant(3))),
          NSPredicate(.compare(.key("length"), .lessThanOrEqualTo, .constant(2))),
        ], warnings: [1670, 1660])
      return model([entity("A", [x, s])])
    },
    Case("inline bounds crossed", ["error bounds A.x"]) {
      let x = attribute("x", .integer32)
      x.inlineMinValue = Int64(3)
      x.inlineMaxValue = Int64(2)
      return model([entity("A", [x])])
    },
    Case("derived without expression", ["error derivation A.d"]) {
      let d = NSDerivedAttributeDescription()
      d.name = "d"
      d.type = .date
      return model([entity("A", [d])])
    },
    Case("derived over unknown", ["error derivation A.d", "error derivation A.e"]) {
      let (d, e) = (NSDerivedAttributeDescription(), NSDerivedAttributeDescription())
      let r = relationship("r", max: 1)
      for (attribute, text) in [(d, "canonical:(y)"), (e, "r.y")] {
        attribute.name = attribute === d ? "d" : "e"
        attribute.type = .string
        attribute.derivationExpression = expression(text)
      }
      let a = entity("A", [attribute("x"), r, d, e])
      r.destinationEntity = a
      r.inverseRelationship = r
      return model([a])
    },
    Case("derived over what exists", []) {
      let r = relationship("r", max: 1)
      let texts = ["canonical:(x)", "r.x", "count:(r)", "now()", "r.r.x", "x.length"]
      let derived = texts.enumerated().map { place, text in
        let made = NSDerivedAttributeDescription()
        made.name = "d\(place)"
        made.type = .string
        made.derivationExpression = expression(text)
        return made
      }
      let (a, b) = (entity("A", [attribute("x"), r]), entity("B", derived))
      a.subentities = [b]
      r.destinationEntity = b
      r.inverseRelationship = r
      return model([a, b])
    },
    Case(
      "composites",
      [
        "error composite A.e", "error composite A.c.d", "error duplicate-property A.c.x",
        "error default-value A.c.x",
      ]
    ) {
      let (c, e) = (NSCompositeAttributeDescription(), NSCompositeAttributeDescription())
      let (x, d) = (attribute("x", .date), NSDerivedAttributeDescription())
      (c.name, e.name, d.name) = ("c", "e", "d")
      d.type = .string
      x.defaultValue = "no date"
      c.elements = [attribute("x"), d, x]
      return model([entity("A", [e, c])])
    },
    Case("composite in itself", ["error composite A.c.c"]) {
      let c = NSCompositeAttributeDescription()
      c.name = "c"
      // A cycle of strong references, which only a decoder could create; it is leaked.
      c.storedElements = [c]
      return model([entity("A", [c])])
    },
    Case("fetched without request", ["error fetched-property A.f"]) {
      let f = NSFetchedPropertyDescription()
      f.name = "f"
      return model([entity("A", [f])])
    },
    Case("fetched for unknown entity", ["error fetch-request-entity A.f"]) {
      let f = NSFetchedPropertyDescription()
      f.name = "f"
      f.fetchRequest = NSFetchRequest(entityName: "B")
      return model([entity("A", [f])])
    },
  ]

  /// Keeps alive what a model doesn't retain.
  enum Kept {
    private static let objects = Mutex<[any Sendable]>([])

    static func keep<Kept: Sendable>(_ object: Kept) -> Kept {
      objects.withLock { $0.append(object) }
      return object
    }
  }
}
