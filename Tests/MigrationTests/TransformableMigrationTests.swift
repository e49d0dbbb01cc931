import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

import class PredicateFormat.NSExpression

@_spi(Engines) @testable import ManagedObjects

/// Values of transformable attributes in mappings: never archived twice, never lost.
@Suite(.serialized) struct TransformableMigrationTests {
  /// `Note.tags`, a transformable attribute, and `Note.title`.
  private static func model(
    tags transformer: String? = nil, type: NSAttributeType = .transformableAttributeType,
    isNew: Bool = false, userInfo: [AnyHashable: Any]? = nil
  ) -> NSManagedObjectModel {
    let note = entity("Note")
    let tags = attribute("tags", type)
    tags.valueTransformerName = transformer
    tags.userInfo = userInfo
    note.properties = [attribute("title", .stringAttributeType), tags]
    if isNew { note.properties.append(attribute("added", .integer16AttributeType)) }
    return NSManagedObjectModel(of: [note])
  }

  private static let values: [[String]] = [["a", "b"], [], ["c"]]

  private func store(_ folder: TemporaryFolder, _ model: NSManagedObjectModel) throws -> URL {
    let url = folder.file("Notes.sqlite")
    let context = try TestStore.open(url, model)
    for (index, tags) in Self.values.enumerated() {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      (note["title"], note["tags"]) = ("\(index)", tags)
    }
    _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    try context.save()
    try TestStore.close(context)
    return url
  }

  private func bytes(_ url: URL) throws -> [String] {
    try SQLiteConnection.reading(url).withStatement(
      "SELECT IFNULL(ZTITLE, '-') || ' ' || IFNULL(hex(ZTAGS), '-') FROM ZNOTE ORDER BY 1"
    ) { row in
      var lines: [String] = []
      while try row.step() { lines.append(row.text(at: 0) ?? "") }
      return lines
    }
  }

  private func tags(_ url: URL, _ model: NSManagedObjectModel) throws -> [[String]?] {
    let context = try TestStore.open(url, model)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return try context.fetch(request).map { $0["tags"] as? [String] }
  }

  private func migrate(
    _ url: URL, to destination: URL, _ old: NSManagedObjectModel, _ new: NSManagedObjectModel,
    change: (NSMappingModel) -> Void = { _ in }
  ) throws {
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    change(mapping)
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    manager.usesStoreSpecificMigrationManager = false
    try manager.migrateStore(
      from: url, type: .sqlite, mapping: mapping, to: destination, type: .sqlite)
  }

  @Test(arguments: [
    "FUNCTION($source, \"valueForKey:\", \"tags\")", "$source.tags",
    "TERNARY($source.title == nil, nil, $source.tags)",
  ])
  func unreadValuesArriveAsTheyWere(expression: String) throws {
    let folder = try TemporaryFolder()
    let (old, new) = (Self.model(), Self.model(isNew: true))
    let url = try store(folder, old)
    let expected = try tags(url, old)
    let destination = folder.file("New.sqlite")
    try migrate(url, to: destination, old, new) { mapping in
      mapping.entityMappings[0].attributeMappings?.first { $0.name == "tags" }?
        .valueExpression = NSExpression(format: expression)
    }
    #expect(try tags(destination, new) == expected)
    #expect(expected.compactMap { $0 } == Self.values)
    #expect(try bytes(destination) == bytes(url))
  }

  /// The program no longer has the transformer, on either side.
  @Test func unknownTransformersKeepTheirBytes() throws {
    let folder = try TemporaryFolder()
    let name = NSValueTransformerName("Momentary-\(UUID().uuidString)")
    let (old, new) = (
      Self.model(tags: name.rawValue), Self.model(tags: name.rawValue, isNew: true)
    )
    ValueTransformer.setValueTransformer(Lines(), forName: name)
    let url = try store(folder, old)
    ValueTransformer.setValueTransformer(nil, forName: name)
    let destination = folder.file("New.sqlite")
    try migrate(url, to: destination, old, new)
    #expect(try bytes(destination) == bytes(url))
    // In an expression that computes something from it, or for another transformer, it isn't nil.
    for (index, target) in [new, Self.model(tags: nil, isNew: true)].enumerated() {
      let gone = folder.file("Gone \(index).sqlite")
      let error = #expect(throws: NSError.self) {
        try migrate(url, to: gone, old, target) { mapping in
          guard index == 0 else { return }
          mapping.entityMappings[0].attributeMappings?.first { $0.name == "tags" }?
            .valueExpression = NSExpression(
              format: "TERNARY($source.title == nil, nil, $source.tags)")
        }
      }
      #expect(error?.code == NSMigrationError)
      #expect(error?.userInfo["property"] as? String == "tags")
    }
    ValueTransformer.setValueTransformer(Lines(), forName: name)
    #expect(try tags(destination, new).compactMap { $0 } == [["a", "b"], [""], ["c"]])
  }

  @Test func anotherTransformerGetsTheObject() throws {
    let folder = try TemporaryFolder()
    let name = NSValueTransformerName("Lines-\(UUID().uuidString)")
    ValueTransformer.setValueTransformer(Lines(), forName: name)
    let (old, new) = (Self.model(), Self.model(tags: name.rawValue, isNew: true))
    let url = try store(folder, old)
    let destination = folder.file("New.sqlite")
    try migrate(url, to: destination, old, new)
    #expect(try tags(destination, new).compactMap { $0 } == [["a", "b"], [""], ["c"]])
    #expect(try bytes(destination).contains("0 610A62"))
  }

  @Test(arguments: [true, false]) func bytesMayBecomeWhatTheyAre(isTransformed: Bool) throws {
    let folder = try TemporaryFolder()
    let allowed: [AnyHashable: Any] = ["NSMigrationAllowTypeTransformation": "1"]
    let (first, second) = (
      Self.model(), Self.model(type: .binaryDataAttributeType, userInfo: allowed)
    )
    let url = try store(folder, first)
    let kept = try bytes(url)
    let binary = folder.file("Binary.sqlite")
    try migrate(url, to: binary, first, second)
    #expect(try bytes(binary) == kept)
    let back = folder.file("Back.sqlite")
    let third = Self.model(isNew: true, userInfo: allowed)
    try migrate(binary, to: back, second, third)
    #expect(try bytes(back) == kept)
  }

  /// A value whose class can't be decoded again isn't saved.
  @Test func whatCouldNotBeReadIsNotSaved() throws {
    let folder = try TemporaryFolder()
    let context = try TestStore.open(folder.file("Notes.sqlite"), Self.model())
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    note["tags"] = Shade(7)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSCoreDataError)
    #expect(error?.localizedDescription.contains("'tags'") == true)
    #expect(error?.localizedDescription.contains("Shade") == true)
    note["tags"] = [Shade(7)]
    #expect(throws: NSError.self) { try context.save() }
    note["tags"] = ["plain"]
    try context.save()
    // With a transformer that allows the class it can be decoded.
    let name = NSValueTransformerName("Shades-\(UUID().uuidString)")
    ValueTransformer.setValueTransformer(Shades(), forName: name)
    let model = Self.model(tags: name.rawValue)
    let other = try TestStore.open(folder.file("Shades.sqlite"), model)
    let shaded = NSEntityDescription.insertNewObject(forEntityName: "Note", into: other)
    shaded["tags"] = Shade(7)
    try other.save()
    other.reset()
    let found = try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first
    #expect((found?["tags"] as? Shade)?.depth == 7)
  }

  /// A predicate in memory must not depend on whether the value was read before.
  @Test func predicatesSeeTheValueReadOrNot() throws {
    let folder = try TemporaryFolder()
    let url = try store(folder, Self.model())
    let context = try TestStore.open(url, Self.model())
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    let notes = try context.fetch(request)
    let holds = NSPredicate(format: "tags CONTAINS %@", "b")
    #expect(notes.filter { holds.evaluate(with: $0) }.count == 1)
    _ = notes.map { $0["tags"] }
    #expect(notes.filter { holds.evaluate(with: $0) }.count == 1)
    #expect(notes.filter { NSPredicate(format: "tags != nil").evaluate(with: $0) }.count == 3)
  }

  /// An array of strings as lines.
  private final class Lines: ValueTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? {
      (value as? [String]).map { Data($0.joined(separator: "\n").utf8) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data).map { String(decoding: $0, as: UTF8.self).components(separatedBy: "\n") }
    }
  }

  /// Allows one class.
  private final class Shades: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    override class var allowedTopLevelClasses: [AnyClass] { [Shade.self] }
  }
}

/// A class of the program that can be archived.
final class Shade: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let depth: Int

  init(_ depth: Int) { self.depth = depth }
  init?(coder: NSCoder) { depth = coder.decodeInteger(forKey: "depth") }
  func encode(with coder: NSCoder) { coder.encode(depth, forKey: "depth") }
}
