import Foundation
import MomKit
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores without a copy of their model, read using only the file itself.
@Suite struct StoreWithoutModelTests {
  /// A store for a model with a hierarchy and relationships of every kind, without its model cache.
  private static func store(in folder: URL) throws -> String {
    let contents = """
      <model><entity name="Club"><attribute name="name" attributeType="String"/>
      <relationship name="members" toMany="YES" optional="YES" destinationEntity="Person" inverseName="clubs" \
      inverseEntity="Person"/></entity>
      <entity name="Person" isAbstract="YES"><attribute name="born" optional="YES" attributeType="Date"/>
      <attribute name="code" optional="YES" attributeType="UUID"/>
      <relationship name="clubs" toMany="YES" optional="YES" destinationEntity="Club" inverseName="members" \
      inverseEntity="Club"/></entity>
      <entity name="Student" parentEntity="Person"><attribute name="marks" optional="YES" attributeType="Double"/>
      <relationship name="tutor" maxCount="1" optional="YES" destinationEntity="Teacher" inverseName="students" \
      inverseEntity="Teacher"/></entity>
      <entity name="Teacher" parentEntity="Person">
      <relationship name="students" toMany="YES" optional="YES" destinationEntity="Student" inverseName="tutor" \
      inverseEntity="Student"/></entity></model>
      """
    let source = folder.appendingPathComponent("School.xcdatamodel")
    try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
    try Data(contents.utf8).write(to: source.appendingPathComponent("contents"))
    #expect(try Tool.run("compile", "School.xcdatamodel", in: folder).status == 0)
    let url = folder.appendingPathComponent("school.sqlite")
    let model = try NSManagedObjectModel(
      loading: folder.appendingPathComponent("School.mom").path)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSPersistentHistoryTrackingKey: true])
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    func insert(_ name: String) -> NSManagedObject {
      NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    }
    let (club, teacher, student) = (insert("Club"), insert("Teacher"), insert("Student"))
    club["name"] = "Chess"
    student["marks"] = 1.5
    student["born"] = Date(timeIntervalSinceReferenceDate: 0)
    student["code"] = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")
    student["tutor"] = teacher
    club["members"] = Set([student, teacher])
    try context.save()
    try SQLiteConnection(writing: url, creation: .existing).execute("DROP TABLE Z_MODELCACHE")
    return url.path
  }

  @Test func everythingIsReadByWhatTheTablesSay() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder)
      let info = try Tool.run("store", "info", store)
      #expect(info.status == 0 && info.errors.contains("guessed from its tables"), "\(info.errors)")
      #expect(
        info.text.hasSuffix("Club     1\nPerson   0\nStudent  1\nTeacher  1\n"), "\(info.text)")
      let students = try Tool.run(
        "store", "fetch", store, "Student", "--format", "csv", "--columns", "marks", "--where",
        "marks > 1 AND code == \"00112233-4455-6677-8899-aabbccddeeff\" AND tutor != nil")
      #expect(students.status == 0, "\(students.errors)")
      #expect(students.text.split(separator: "\r\n").last?.hasSuffix(",1.5") == true)
      let lines = try Tool.run("store", "export", store, "--format", "jsonl").text
      #expect(lines.contains(#""name":"Chess""#) && lines.contains(#""marks":1.5"#), "\(lines)")
      #expect(lines.contains("00112233-4455-6677-8899-AABBCCDDEEFF"))
      #expect(lines.contains(#""born":"2001-01-01T00:00:00Z""#))
      #expect(
        lines.contains(#""members":["Student/p"#) || lines.contains(#""members":["Teacher/p"#))
      // The values are keys of two tables, and the column has neither's name: it remains a number.
      #expect(lines.contains(#""tutor":1}"#) || lines.contains(#""tutor":2}"#), "\(lines)")
      #expect(try Tool.run("store", "views", store).text.contains(#"CREATE VIEW "Student""#))
      let history = try Tool.run("store", "history", store)
      #expect(history.status == 0 && history.text.contains("insert  Club/p1"), "\(history.text)")
      let migrated = try Tool.run("store", "migrate", store, "--to", "School.mom", in: folder)
      #expect(migrated.status == 2 && migrated.errors.contains("specify the model with --model"))
      let named = try Tool.run("store", "info", store, "--model", "School.xcdatamodel", in: folder)
      #expect(named.status == 0 && named.errors.isEmpty)
    }
  }

  /// In lowercase, `İ` is two characters, whose capitals are two again.
  @Test func namesThatDoNotLeadBackToTheirColumnsAreThoseOfTheColumns() throws {
    try Tool.withTemporaryFolder { folder in
      let contents = """
        <model><entity name="Box"><attribute name="aİd" optional="YES" attributeType="String"/>
        <attribute name="größe" optional="YES" attributeType="String"/></entity></model>
        """
      let source = folder.appendingPathComponent("Box.xcdatamodel")
      try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
      try Data(contents.utf8).write(to: source.appendingPathComponent("contents"))
      let made = try Tool.run("store", "create", "Box.xcdatamodel", "box.sqlite", in: folder)
      try #require(made.status == 0, "\(made.errors)")
      try SQLiteConnection(
        writing: folder.appendingPathComponent("box.sqlite"), creation: .existing
      ).execute(
        "INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT, ZAİD, ZGRÖßE) VALUES (1, 1, 1, 'x', 'y');"
          + "DROP TABLE IF EXISTS Z_MODELCACHE")
      let run = try Tool.run("store", "export", "box.sqlite", "--format", "jsonl", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.text == #"{"@object":"Box/p1","AİD":"x","größe":"y"}"# + "\n")
    }
  }
}
