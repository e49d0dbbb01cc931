import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// Persistent history tells of the same objects and properties after a migration.
@Suite(.enabled(if: TestServer.isThere)) struct HistoryMigrationTests {
  private func attribute(_ name: String, former: String? = nil) -> NSAttributeDescription {
    let attribute = TestModel.attribute(name)
    attribute.preservesValueInHistoryOnDeletion = true
    if let former { attribute.renamingIdentifier = former }
    return attribute
  }

  /// Tags and marks, which are kept apart, and coins.
  private func old() -> NSManagedObjectModel {
    TestModel.model([
      TestModel.entity("Tag", [attribute("title"), attribute("color"), attribute("size")]),
      TestModel.entity("Mark", [attribute("text")]),
      TestModel.entity("Coin", [attribute("title")]),
    ])
  }

  /// Tags are labels, and marks are special ones, so that both are kept together; the titles of tags are captions, and
  /// their size has the name of their color. There are no coins.
  private func new() -> NSManagedObjectModel {
    let label = TestModel.entity(
      "Label", [attribute("caption", former: "title"), attribute("color", former: "size")])
    label.renamingIdentifier = "Tag"
    let mark = TestModel.entity("Mark", [attribute("text")])
    label.subentities = [mark]
    return TestModel.model([label, mark])
  }

  @Test func changesAreThoseOfTheRenamedObjects() throws {
    let lines = try MigrationTrial.run(
      from: old, to: new, options: [NSPersistentHistoryTrackingKey: true]
    ) { context in
      var objects: [NSManagedObject] = []
      for name in ["a", "b", "c"] {
        objects.append(
          context.insert("Tag", ["title": "tag \(name)", "color": "red", "size": "big"]))
        objects.append(context.insert("Mark", ["text": "mark \(name)"]))
        objects.append(context.insert("Coin", ["title": "coin \(name)"]))
      }
      try context.save()
      objects[0].setValue("tag A", forKey: "title")
      objects[0].setValue("small", forKey: "size")
      objects[3].setValue("blue", forKey: "color")
      objects[1].setValue("mark A", forKey: "text")
      try context.save()
      for object in objects[6...] { context.delete(object) }
      try context.save()
    } describe: { context in
      let request = NSPersistentHistoryChangeRequest.fetchHistory(
        after: nil as NSPersistentHistoryToken?)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
      return transactions.flatMap { transaction in
        (transaction.changes ?? []).map { change in
          let id = change.changedObjectID
          let object = try? context.existingObject(with: id)
          let title = id.entity.name == "Label" ? "caption" : "text"
          let properties = change.updatedProperties?.map(\.name).sorted() ?? []
          let tombstone = (change.tombstone ?? [:]).map { "\($0.key): \($0.value)" }.sorted()
          return "\(id.entity.name ?? "") \(change.changeType.rawValue) "
            + "\(object?.value(forKey: title) ?? "gone") \(properties) \(tombstone)"
        }.sorted()
      }
    }
    #expect(lines.contains(#"Label 1 tag A ["caption", "color"] []"#), "\(lines)")
    #expect(lines.contains(#"Label 2 gone [] ["caption: tag c", "color: big"]"#), "\(lines)")
    #expect(lines.count == 11)
  }
}
