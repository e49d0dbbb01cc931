import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Texts in transformable values that differ only in their Unicode form, which Swift treats as equal.
@Suite struct LiteralTextTests {
  private static let composed = "Caf\u{E9}"
  private static let decomposed = "Cafe\u{301}"

  enum Form: CaseIterable {
    case set, foundationSet, orderedSet, key, foundationKey, nestedSet, valueOfNumber

    func value(of text: String) -> Any {
      switch self {
      case .set: Set([text])
      case .foundationSet: NSSet(array: [text])
      case .orderedSet: NSOrderedSet(array: [text])
      case .key: [text: 1]
      case .foundationKey: NSDictionary(objects: [1], forKeys: [text as NSString])
      case .nestedSet: ["names": [Set([text])]]
      case .valueOfNumber: [1: text]
      }
    }
  }

  /// Whether an archive, which has such a text as UTF-16, contains it.
  private func contains(_ text: String, _ archive: Data?) -> Bool {
    let bytes = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return archive?.range(of: Data(bytes)) != nil
  }

  private func bytes(in url: URL) throws -> Data? {
    try SQLiteConnection.reading(url).withStatement("SELECT ZVALUE FROM ZNOTE") { row in
      try row.step() ? row.blob(at: 0) : nil
    }
  }

  @Test(arguments: Form.allCases) func anotherFormIsAChange(form: Form) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    let model = NSManagedObjectModel(of: [
      entity("Note", [attribute("value", .transformableAttributeType)])
    ])
    let context = try TestStore.open(url, model)
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    note["value"] = form.value(of: Self.decomposed)
    try context.save()
    note["value"] = form.value(of: Self.decomposed)
    #expect(!note.hasPersistentChangedValues)
    note["value"] = form.value(of: Self.composed)
    #expect(context.hasChanges && note.hasPersistentChangedValues)
    try context.save()
    let saved = try bytes(in: url)
    #expect(contains(Self.composed, saved))
    // A value that was read has Foundation's classes.
    let other = try TestStore.open(url, model)
    let found = try #require(
      try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first)
    #expect(found["value"] != nil)
    found["value"] = form.value(of: Self.decomposed)
    #expect(found.hasPersistentChangedValues)
    try other.save()
    let savedAgain = try bytes(in: url)
    #expect(contains(Self.decomposed, savedAgain))
  }
}
