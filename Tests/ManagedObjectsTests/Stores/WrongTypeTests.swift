import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Columns with values that don't fit their attributes: SQLite stores any type in any column.
@Suite struct WrongTypeTests {
  private static let types: [(String, NSAttributeType)] = [
    ("int", .integer64AttributeType), ("real", .doubleAttributeType),
    ("flag", .booleanAttributeType), ("text", .stringAttributeType),
    ("date", .dateAttributeType), ("data", .binaryDataAttributeType),
    ("exact", .decimalAttributeType), ("uuid", .UUIDAttributeType), ("uri", .URIAttributeType),
  ]

  private func model() -> NSManagedObjectModel {
    let thing = entity("Thing", class: "Thing")
    let other = entity("Other")
    let owner = relationship("owner", to: thing, max: 1)
    thing.properties =
      Self.types.map { attribute($0.0, $0.1) } + [owner]
    other.properties = [attribute("name", .stringAttributeType)]
    return NSManagedObjectModel(of: [thing, other])
  }

  private func open(
    _ url: URL, _ model: NSManagedObjectModel? = nil
  ) throws -> NSManagedObjectContext {
    return try TestStore.open(url, model ?? self.model())
  }

  /// Literals that can be read as values because SQLite's conversion is lossless; in all other columns they are
  /// errors.
  private static let readable: [(literal: String, columns: String)] = [
    ("'words'", "text data uri"), ("''", "text data uri"),
    ("' 12'", "int real flag text date data exact uri owner"),
    ("-1", "int real flag text date exact uri owner"),
    ("9223372036854775807", "int real flag text exact uri owner"),
    ("1e400", "real text date uri"), ("-1e400", "real text date uri"),
    ("x''", "text data uri"), ("x'FF00FE'", "data"),
    ("x'\(String(repeating: "80", count: 200))'", "data"),
    ("x'61'", "text data uri"),
    ("0.1", "real text date exact uri"),
    ("NULL", "int real flag text date data exact uuid uri owner"),
    ("x'00112233445566778899AABBCCDDEEFF'", "data uuid"),
  ]

  @Test(arguments: readable.indices) func whatWouldBeLostIsAnError(index: Int) throws {
    let (literal, columns) = Self.readable[index]
    let folder = try TemporaryFolder()
    let url = folder.file("Things.sqlite")
    let context = try open(url)
    _ = Thing(context: context)
    try context.save()
    context.reset()
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    let request = NSFetchRequest<Thing>(entityName: "Thing")
    var read: [String] = []
    for name in Self.types.map(\.0) + ["owner"] {
      let column = "Z\(name.uppercased())"
      try connection.execute("UPDATE ZTHING SET \(column) = \(literal)")
      do {
        let thing = try #require(try context.fetch(request).first)
        _ = thing.value(forKey: name)
        read.append(name)
        // By type, optional or not: none of these may crash the program.
        _ = (thing.int, thing.real, thing.flag, thing.text, thing.date, thing.data, thing.exact)
        _ = (thing.uri, thing.optionalUUID, thing.optionalURI, thing.optionalDate, thing.uuid)
        _ = (thing.changedValues(), thing.committedValues(forKeys: nil))
        if let owner = thing.owner { _ = owner.text }
      } catch let error as NSError {
        #expect(error.code == CocoaError.Code.fileReadCorruptFile.rawValue, "\(error)")
        #expect(error.userInfo["entity"] as? String == "Thing")
        #expect(error.userInfo["column"] as? String == column)
        #expect(error.userInfo["row"] as? Int == 1)
        if name != "owner" {
          let findings = try StoreCheck.findings(at: url).map(\.description)
          #expect(
            findings.contains {
              $0.contains("[value-type] Thing.\(name)") && $0.contains(column)
                && $0.hasSuffix("(1 row: 1)")
            }, "\(literal): \(findings)")
        }
      }
      try connection.execute("UPDATE ZTHING SET \(column) = NULL")
      context.reset()
    }
    #expect(read == columns.split(separator: " ").map(String.init), "\(literal)")
  }

  /// Rows contain the number of their entity. As in Core Data it is ignored where the table only has one entity,
  /// except by the check of the store; in a hierarchy such rows couldn't be read.
  @Test func rowsOfEntitiesThatAreNotThere() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Library.sqlite")
    let context = try open(url, Library.model())
    for name in ["Tag", "Book", "Novel"] {
      _ = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    }
    try context.save()
    context.reset()
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    try connection.execute("UPDATE ZTAG SET Z_ENT = 99")
    try connection.execute("UPDATE ZBOOK SET Z_ENT = 99 WHERE Z_PK = 1")
    let tags = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
    #expect(tags.map(\.entity.name) == ["Tag"])
    let error = #expect(throws: NSError.self) {
      try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
    }
    #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
    let findings = try StoreCheck.findings(at: url).filter { $0.rule == .entityNumber }
    #expect(Set(findings.map(\.subject)) == ["Tag", "Book"])
  }

  /// A fault can't throw; the next save does.
  @Test func whatAFaultCannotReadIsNotOverwritten() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Things.sqlite")
    let context = try open(url)
    let thing = Thing(context: context)
    thing.text = "kept"
    try context.save()
    context.refresh(thing, mergeChanges: false)
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    try connection.execute("UPDATE ZTHING SET ZINT = 'many'")
    #expect(thing.value(forKey: "text") == nil)
    thing.text = "new"
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.userInfo["column"] as? String == "ZINT")
    #expect(try connection.text("SELECT ZTEXT || ZINT FROM ZTHING") == "keptmany")
    // After a manual repair the object can be read again.
    context.rollback()
    try connection.execute("UPDATE ZTHING SET ZINT = 5")
    context.reset()
    let again = try #require(try context.fetch(NSFetchRequest<Thing>(entityName: "Thing")).first)
    #expect(again.int == 5)
    again.text = "new"
    try context.save()
  }
}

final class Thing: NSManagedObject {
  @Managed var int: Int64
  @Managed var real: Double
  @Managed var flag: Bool
  @Managed var text: String
  @Managed var date: Date
  @Managed var data: Data
  @Managed var exact: Decimal
  @Managed var uuid: UUID
  @Managed var uri: URL
  @Managed("uuid") var optionalUUID: UUID?
  @Managed("uri") var optionalURI: URL?
  @Managed("date") var optionalDate: Date?
  @Managed var owner: Thing?
}
