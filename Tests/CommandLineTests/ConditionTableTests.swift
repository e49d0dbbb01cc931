import DataModels
import Foundation
import ManagedObjects
import PredicateFormat
import TestSupport
import Testing

@testable import momtool

/// Every operator on every type of attribute and on relationships. An accepted condition finds the same objects as
/// the library does in memory; one that can't be true is an error with a marker.
@Suite struct ConditionTableTests {
  // MARK: The store

  /// A property of each type, and values as users would write them: that of the first object and, for ordered types,
  /// one between those of the objects.
  private struct Column {
    var name: String
    var kind: Kind
    var own: String
    var values: [Any]
  }

  private enum Kind: String, CaseIterable {
    case number, flag, text, date, bytes, uuid, url, transformed, composite, toOne, toMany

    var isOrdered: Bool { [.number, .flag, .text, .date, .uuid].contains(self) }

    /// Returns whether a value can be equal to a constant of another kind.
    func takes(_ other: Kind) -> Bool {
      switch (self, other) {
      case (.number, .number), (.number, .flag), (.flag, .flag), (.text, .text), (.date, .date),
        (.bytes, .bytes), (.uuid, .uuid), (.url, .url), (.toOne, .toOne), (.date, .number),
        // These words are valid Base64, too.
        (.bytes, .text), (.bytes, .toOne):
        true
      // Constants are strings, which other types recognize by their format.
      case (.text, .date), (.text, .bytes), (.text, .uuid), (.text, .url), (.text, .toOne),
        (.url, _):
        ![.number, .flag].contains(other)
      default: false
      }
    }
  }

  private static let uuids = [
    "00112233-4455-6677-8899-AABBCCDDEEFF", "FF112233-4455-6677-8899-AABBCCDDEEFF",
  ]

  private static var columns: [Column] {
    func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
    return [
      Column(name: "small", kind: .number, own: "3", values: [Int16(3), Int16(9)]),
      Column(name: "medium", kind: .number, own: "3", values: [Int32(3), Int32(9)]),
      Column(name: "large", kind: .number, own: "3", values: [Int64(3), Int64(9)]),
      Column(name: "real", kind: .number, own: "3", values: [3.0, 9.5]),
      Column(name: "single", kind: .number, own: "3", values: [Float(3), Float(9.5)]),
      Column(name: "exact", kind: .number, own: "3", values: [Decimal(3), Decimal(9)]),
      Column(name: "flag", kind: .flag, own: "YES", values: [true, false]),
      Column(name: "word", kind: .text, own: "\"beta\"", values: ["beta", "delta"]),
      Column(name: "day", kind: .date, own: "\"2001-01-02\"", values: [date(86_400), date(9e8)]),
      Column(
        name: "raw", kind: .bytes, own: "\"AQID\"", values: [Data([1, 2, 3]), Data([4])]),
      Column(
        name: "id", kind: .uuid, own: "\"\(uuids[0])\"",
        values: uuids.compactMap { UUID(uuidString: $0) }),
      Column(
        name: "link", kind: .url, own: "\"https://a.example\"",
        values: ["https://a.example", "https://b.example"].compactMap { URL(string: $0) }),
      Column(
        name: "blob", kind: .transformed, own: "\"beta\"",
        values: [["a"] as NSArray, ["b"] as NSArray]),
      Column(
        name: "place", kind: .composite, own: "\"beta\"",
        values: [
          ["x": 1.5, "tag": "t"] as [String: Any], ["x": 2.5, "tag": "u"] as [String: Any],
        ]),
      Column(name: "friend", kind: .toOne, own: "\"Thing/p1\"", values: []),
      Column(name: "others", kind: .toMany, own: "\"Thing/p1\"", values: []),
    ]
  }

  private static func makeModel() -> NSManagedObjectModel {
    let place = NSCompositeAttributeDescription()
    place.name = "place"
    place.isOptional = true
    place.elements = [attribute("x", .doubleAttributeType), attribute("tag", .stringAttributeType)]
    let thing = entity(
      "Thing",
      [
        attribute("small", .integer16AttributeType), attribute("medium", .integer32AttributeType),
        attribute("large", .integer64AttributeType), attribute("real", .doubleAttributeType),
        attribute("single", .floatAttributeType), attribute("exact", .decimalAttributeType),
        attribute("flag", .booleanAttributeType), attribute("word", .stringAttributeType),
        attribute("day", .dateAttributeType), attribute("raw", .binaryDataAttributeType),
        attribute("id", .UUIDAttributeType), attribute("link", .URIAttributeType),
        attribute("blob", .transformableAttributeType), place,
      ])
    let friend = relationship("friend", to: thing, max: 1)
    let others = relationship("others", to: thing)
    link(friend, others)
    let fleeting = attribute("fleeting", .stringAttributeType)
    fleeting.isTransient = true
    thing.properties += [friend, others, fleeting]
    return model([thing, entity("Other", [attribute("name", .stringAttributeType)])])
  }

  /// Two objects with values, the second of which is the first's friend, and one without values.
  private static func store(in folder: URL) throws -> (URL, NSManagedObjectContext) {
    let url = folder.appendingPathComponent("things.sqlite")
    let model = makeModel()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    var things: [NSManagedObject] = []
    for number in 0..<3 {
      let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
      if number < 2 {
        for column in columns where !column.values.isEmpty {
          thing.setValue(column.values[number], forKey: column.name)
        }
      }
      try context.save()
      things.append(thing)
    }
    things[0].setValue(things[1], forKey: "friend")
    things[1].setValue(things[0], forKey: "friend")
    _ = NSEntityDescription.insertNewObject(forEntityName: "Other", into: context)
    try context.save()
    return (url, context)
  }

  // MARK: Asking

  /// Evaluates a condition both as the command does and with the objects in memory.
  private struct Asker {
    let rows: StoreRows
    let thing: SchemaEntity
    let objects: [NSManagedObject]

    init(_ url: URL, _ context: NSManagedObjectContext) throws {
      let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
      rows = try StoreRows(url, model: model, framework: nil)
      thing = try #require(rows.entity("Thing"))
      objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
        .sorted { $0.objectID.uriRepresentation().path < $1.objectID.uriRepresentation().path }
    }

    /// Returns the names of the objects found, or the error if the condition is rejected.
    func ask(_ text: String) throws -> Result<(found: [String], inMemory: [String]), Diagnostic> {
      let condition: StoreCondition
      do {
        condition = try StoreCondition(text, on: thing.description, values: PredicateArguments()) {
          try rows.objectID(entity: $0, key: $1)
        }
      } catch let error as Diagnostic {
        return .failure(error)
      }
      var fetch = StoreFetch(rows, of: thing)
      fetch.selection.predicate = condition.predicate
      var found: [String] = []
      try fetch.forEach { name, _ in found.append(name) }
      // With other object IDs: the rows are in another store than the objects.
      let here = condition.predicate.tree.mapLeaves { leaf in
        guard case .constant(.object(let object)) = leaf,
          let id = object.base as? NSManagedObjectID,
          let same = objects.first(where: { name($0.objectID) == name(id) })
        else { return leaf }
        return .constant(.object(OpaqueObject(same.objectID)))
      }
      let program = PredicateProgram(here)
      let inMemory = try objects.filter { try program.evaluate(with: $0, bindings: [:]) }
      return .success((found, inMemory.map { name($0.objectID) }))
    }

    private func name(_ id: NSManagedObjectID) -> String {
      id.uriRepresentation().pathComponents.suffix(2).joined(separator: "/")
    }
  }

  /// Whether an error has a marker under the condition.
  private static func isMarked(_ error: Diagnostic) -> Bool {
    error.path == "--where" && error.excerpt.split(separator: "\n").count == 2
      && error.excerpt.hasSuffix("^")
  }

  /// Returns the expected result of comparing a property with the first object's value, or nil for an error.
  private static func wanted(_ column: Column, _ operation: String, _ kind: Kind) -> [String]? {
    switch operation {
    case "==", "!=":
      guard column.kind.takes(kind) else { return nil }
    case "<", "<=", ">", ">=":
      guard column.kind.isOrdered, column.kind.takes(kind) else { return nil }
    case "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES":
      guard column.kind == .text, ![.number, .flag].contains(kind) else { return nil }
    case "CONTAINS":
      guard
        column.kind == .text && ![.number, .flag].contains(kind)
          || column.kind == .toMany && kind == .toOne
      else { return nil }
    default: return nil
    }
    return []
  }

  @Test func everyOperatorOnEveryType() throws {
    try Tool.withTemporaryFolder { folder in
      let (url, context) = try Self.store(in: folder)
      let asker = try Asker(url, context)
      var count = (found: 0, refused: 0)
      for column in Self.columns {
        for operation in [
          "==", "!=", "<", "<=", ">", ">=", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "CONTAINS",
          "==[c]", "CONTAINS[cd]",
        ] {
          for other in Self.columns where ![.transformed, .composite, .toMany].contains(other.kind)
          {
            let text = "\(column.name) \(operation) \(other.own)"
            let plain = String(operation.prefix { $0 != "[" })
            // A string that isn't a date, UUID or Base64 is rejected where one is required.
            let isWanted = Self.wanted(column, plain, other.kind) != nil
            switch try asker.ask(text) {
            case .failure(let error):
              count.refused += 1
              #expect(!isWanted, "\(text): \(error)")
              #expect(Self.isMarked(error), "\(text): \(error)")
            case .success(let (found, inMemory)):
              count.found += 1
              #expect(isWanted, "\(text): \(found)")
              // In a store, a missing value is neither equal nor unequal to anything.
              #expect(found == inMemory.filter { $0 != "Thing/p3" }, "\(text)")
              if plain == "==", other.own == column.own {
                #expect(found == [column.kind == .toOne ? "Thing/p2" : "Thing/p1"], "\(text)")
              }
            }
          }
        }
      }
      #expect(count.found > 100 && count.refused > 500)
    }
  }

  @Test func everyPairOfProperties() throws {
    try Tool.withTemporaryFolder { folder in
      let (url, context) = try Self.store(in: folder)
      let asker = try Asker(url, context)
      for column in Self.columns {
        for other in Self.columns {
          let numbers: [Kind] = [.number, .flag]
          let isOne =
            column.kind == other.kind
            && ![.transformed, .composite, .toMany].contains(column.kind)
          let isComparable =
            isOne || numbers.contains(column.kind) && numbers.contains(other.kind)
          for (operation, isWanted) in [
            ("==", isComparable), ("!=", isComparable),
            ("<", isComparable && column.kind.isOrdered), ("LIKE", isOne && column.kind == .text),
            (
              "CONTAINS",
              column.kind == .toMany && other.kind == .toOne
                || isOne && column.kind == .text
            ),
            ("IN", other.kind == .toMany && column.kind == .toOne || isOne && column.kind == .text),
          ] {
            let text = "\(column.name) \(operation) \(other.name)"
            switch try asker.ask(text) {
            case .failure(let error):
              #expect(!isWanted, "\(text): \(error)")
              #expect(Self.isMarked(error), "\(text): \(error)")
            case .success(let (found, inMemory)):
              #expect(isWanted, "\(text): \(found)")
              #expect(found == inMemory.filter { $0 != "Thing/p3" }, "\(text)")
            }
          }
        }
      }
    }
  }

  @Test func nothingAndLists() throws {
    try Tool.withTemporaryFolder { folder in
      let (url, context) = try Self.store(in: folder)
      let asker = try Asker(url, context)
      for column in Self.columns {
        let name = column.name
        var accepted: [(String, [String])] = []
        var refused = [
          "\(name) < nil", "\(name) BETWEEN 5", "\(name) BETWEEN {1}", "\(name) == {1, 2}",
          "\(name) BEGINSWITH nil", "\(name) IN 5", "\(name).nonsense == 1", "\(name).@foo > 1",
          "\(name).@avg > 1", "\(name) BETWEEN {nil, 3}",
        ]
        if column.kind == .toMany {
          refused += ["\(name) == nil", "\(name) IN {\(column.own)}"]
          accepted += [
            ("ANY \(name) == \(column.own)", ["Thing/p2"]),
            ("\(name).@count == 1", ["Thing/p1", "Thing/p2"]),
            ("\(column.own) IN \(name)", ["Thing/p2"]),
          ]
        } else {
          accepted += [
            ("\(name) == nil", ["Thing/p3"]), ("\(name) != nil", ["Thing/p1", "Thing/p2"]),
          ]
          refused += ["ANY \(name) == \(column.own)", "ALL \(name) == nil", "\(name).@count > 0"]
          let isComparable = ![.transformed, .composite].contains(column.kind)
          let list = "\(name) IN {\(column.own)}"
          if isComparable {
            accepted.append((list, [column.kind == .toOne ? "Thing/p2" : "Thing/p1"]))
          } else {
            refused.append(list)
          }
          let bounds = "\(name) BETWEEN {\(column.own), \(column.own)}"
          if column.kind.isOrdered {
            accepted.append((bounds, ["Thing/p1"]))
          } else {
            refused.append(bounds)
          }
        }
        for text in refused {
          guard case .failure(let error) = try asker.ask(text) else {
            Issue.record("\(text) is accepted")
            continue
          }
          #expect(Self.isMarked(error), "\(text): \(error)")
        }
        for (text, wanted) in accepted {
          let (found, inMemory) = try asker.ask(text).get()
          #expect(found == wanted && inMemory == wanted, "\(text): \(found) \(inMemory)")
        }
      }
    }
  }

  @Test func keysAndFunctions() throws {
    try Tool.withTemporaryFolder { folder in
      let (url, context) = try Self.store(in: folder)
      let asker = try Asker(url, context)
      for (text, wanted) in [
        ("word.length == 4", ["Thing/p1"]), ("uppercase(word) == 'BETA'", ["Thing/p1"]),
        ("link.absoluteString ENDSWITH 'a.example'", ["Thing/p1"]),
        ("raw.length == 3", ["Thing/p1"]),
        ("link.host == 'a.example'", ["Thing/p1"]), ("place.x == 1.5", ["Thing/p1"]),
        ("place.tag BEGINSWITH 't'", ["Thing/p1"]), ("small + large == 6", ["Thing/p1"]),
        ("friend.word == 'beta'", ["Thing/p2"]), ("ANY others.word == 'beta'", ["Thing/p2"]),
        ("others.@sum.small == 3", ["Thing/p2"]), ("others.@max.day == '2001-01-02'", ["Thing/p2"]),
        ("SUBQUERY(others, $x, $x.small == 3).@count == 1", ["Thing/p2"]),
        ("day < now()", ["Thing/p1"]), ("CAST(day, 'NSNumber') == 86400", ["Thing/p1"]),
        ("FUNCTION(word, 'length') == 4", ["Thing/p1"]), ("abs(small) == 3", ["Thing/p1"]),
        ("TERNARY(small == 3, word, nil) == 'beta'", ["Thing/p1"]),
        ("friend.friend == 'Thing/p1'", ["Thing/p1"]), ("objectID == 'Thing/p2'", ["Thing/p2"]),
        // These two are evaluated for objects.
        ("raw == 'AQID' OR friend == 'Thing/p1'", ["Thing/p1", "Thing/p2"]),
        ("raw == 'AQID' OR SELF IN {'Thing/p3', 'Thing/p1'}", ["Thing/p1", "Thing/p3"]),
      ] as [(String, [String])] {
        let (found, _) = try asker.ask(text).get()
        #expect(found == wanted, "\(text)")
      }
      let entity = try asker.ask("entity == 'Thing'").get()
      #expect(entity.found.count == 3)
      for text in [
        "SELF == 'Other/p1'", "friend == 'Other/p1'", "entity == 'Other'", "entity == 'Thng'",
        "entity.name == 'Thing'", "fleeting == 'x'", "word MATCHES '['", "CAST(day, 'NSFoo') == 1",
        "CAST(raw, 'NSNumber') == 1", "abs(word) == 1", "uppercase(small) == 'A'", "word + 1 == 2",
        "sum(others.word) == 1", "others.@sum.word == 1", "others.@sum == 1",
        "others.@max.raw == nil",
        "others.@count.x == 1", "FUNCTION(word, 'foo') == 1", "FUNCTION(word, 'foo:', 1) == 1",
        "ANYKEY == 1", "others[0] == 'Other/p1'", "small[0] == 1", "flag == 2", "flag == 0.5",
        "friend.blob == 'x'", "place.y == 1", "place.x.z == 1", "others.small > 5",
        "ANY others.small > 'x'", "SUBQUERY(word, $x, $x == 1).@count > 0",
        "SUBQUERY(others, $x, $x.smal == 1).@count > 0",
        "SUBQUERY(others, $x, $x.small == 'a').@count > 0",
        "5 == 'five'", "raw == 'not base64!'", "nosuchfunction(small) == 1", "small ==",
        "word == $X",
      ] {
        guard case .failure(let error) = try asker.ask(text) else {
          Issue.record("\(text) is accepted")
          continue
        }
        #expect(Self.isMarked(error), "\(text): \(error)")
      }
    }
  }

  // MARK: Sorting

  @Test func whatSortsAndWhatDoesNot() throws {
    let model = Self.makeModel()
    let thing = try #require(model.entitiesByName["Thing"])
    for column in Self.columns {
      if column.kind.isOrdered {
        #expect(throws: Never.self) { try StoreCondition.checkSortKey(column.name, of: thing) }
        #expect(throws: Never.self) {
          try StoreCondition.checkSortKey("friend.\(column.name)", of: thing)
        }
      } else {
        #expect(throws: Diagnostic.self) { try StoreCondition.checkSortKey(column.name, of: thing) }
      }
      #expect(throws: Diagnostic.self) {
        try StoreCondition.checkSortKey("others.\(column.name)", of: thing)
      }
    }
    for key in ["fleeting", "nonsense", "", "SELF", "entity", "others.@foo"] {
      #expect(throws: Diagnostic.self, "\(key)") { try StoreCondition.checkSortKey(key, of: thing) }
    }
  }

  /// Run with the built tool, for an empty table too.
  @Test func theCommandRefuses() throws {
    try Tool.withTemporaryFolder { folder in
      let (url, _) = try Self.store(in: folder)
      let fetch = ["store", "fetch", url.path]
      for (arguments, message) in [
        (
          ["Thing", "--where", "SELF == \"Other/p1\""],
          "'Other/p1' is an object of Other, but is compared"
        ),
        (["Thing", "--where", "friend == \"Other/p1\""], "compared with one of Thing"),
        (["Thing", "--where", "blob == \"x\""], "a transformable value can't be compared"),
        (["Other", "--where", "name MATCHES \"[\""], "not a regular expression: '['"),
        (["Other", "--where", "name.@foo == 1"], "there is no collection operator '@foo'"),
        (["Thing", "--where", "small CONTAINS 1"], "CONTAINS looks in a string"),
        (["Thing", "--sort", "others"], "it is to-many"),
        (["Thing", "--sort", "blob"], "it is a transformable value"),
        (["Thing", "--columns", "fleeting"], "'fleeting' is transient"),
        (["Thing", "--columns", "word,word"], "'word' is given twice"),
        (["Thing", "--columns", ","], "it doesn't name a property"),
        (["Thing", "--where", "small == $A", "--bind", "A=1", "--bind", "B=2"], "has no $B"),
        (["Thing", "--bind", "B=2"], "without --where"),
        (["Thing", "--where", "small == 1", "--argument", "2"], "argument"),
      ] {
        let run = try Tool.run(arguments: fetch + arguments)
        #expect(run.status == 2 && run.text.isEmpty, "\(arguments)")
        #expect(run.errors.contains(message), "\(arguments): \(run.errors)")
        if arguments.contains("--where"), !arguments.contains("--bind"),
          !arguments.contains("--argument")
        {
          #expect(run.errors.hasSuffix("^\n"), "\(run.errors)")
        }
      }
      for arguments in [["--limit", "-1"], ["--limit=-1"], ["--offset", "-2"], ["--width=-3"]] {
        let run = try Tool.run(arguments: fetch + ["Thing"] + arguments)
        #expect(run.status == 64, "\(arguments)")
        #expect(run.errors.contains("can't be negative"), "\(run.errors)")
      }
      let unused = try Tool.run("predicate", "a > $X", "--bind", "Y=1")
      #expect(unused.status == 2 && unused.errors.contains("the predicate has no $Y"))
    }
  }
}
