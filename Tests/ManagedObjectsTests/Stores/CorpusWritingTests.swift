import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Copies of real stores accept insertions, updates, relationships and deletions, and remain sound.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct CorpusWritingTests {
  static let stores = CorpusSchemaTests.withModel

  @Test(arguments: stores)
  func realStoresTakeChanges(store: Corpus.File) throws {
    let folder = try TemporaryFolder()
    let copy = try CorpusStore.copy(store, into: folder)
    let model = try #require(try CorpusStore.model(of: store))
    let version = FrameworkVersion(
      rawValue: try StoreFile(at: copy.path).metadata.frameworkVersion ?? 0)
    let checker = { try StoreChecker(copy, model: model, version: version) }
    let before = try checker()
    let (known, dangling) = (try before.findings(), try before.danglingCount())
    let historyBefore =
      try before.connection.hasTable("ACHANGE")
      ? try before.connection.integer("SELECT count(*) FROM ACHANGE") : nil

    var inserted = 0
    do {
      let context = try open(copy, model)
      let made = relate(try insertOneOfEach(context, model), context)
      inserted = made.count
      for (number, object) in made.enumerated() { fill(object, number) }
      try context.save()
      for (number, object) in made.enumerated() { fill(object, number + 1000) }
      try context.save()
      let reread = try open(copy, model)
      for object in made {
        let again = try reread.existingObject(
          with: try #require(
            reread.persistentStoreCoordinator?.managedObjectID(
              forURIRepresentation: object.objectID.uriRepresentation())))
        for property in object.layout.values where !property.isTransient && !property.isDerived {
          let (mine, theirs) = (object.values[property.slot], again.storedValue(at: property.slot))
          #expect(
            mine.reference?.uriRepresentation() == theirs.reference?.uriRepresentation(),
            "\(object.layout.name).\(property.name)")
          if mine.reference == nil, property.attributeType != .decimalAttributeType {
            #expect(mine == theirs, "\(object.layout.name).\(property.name)")
          }
        }
        for property in object.layout.toManys {
          #expect(
            Set(object.objectIDs(forRelationshipNamed: property.name).map(\.key))
              == Set(again.objectIDs(forRelationshipNamed: property.name).map(\.key)))
        }
      }
      #expect(try checker().findings() == known)
      for object in made.dropFirst(made.count / 2) { context.delete(object) }
      do { try context.save() } catch { context.rollback() }
    }
    let after = try checker()
    #expect(try after.findings() == known)
    #expect(try after.danglingCount() <= dangling)
    if let historyBefore {
      #expect(
        try after.connection.integer("SELECT count(*) FROM ACHANGE") ?? 0
          >= historyBefore + Int64(inserted))
    }
    #expect(
      try before.connection.text("SELECT group_concat(sql) FROM sqlite_master")
        == after.connection.text("SELECT group_concat(sql) FROM sqlite_master"))
  }

  private func open(_ url: URL, _ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
    let hasHistory = try SQLiteConnection.reading(url).hasTable("ACHANGE")
    let coordinator = try TestStore.coordinator(
      model, at: url, options: hasHistory ? [NSPersistentHistoryTrackingKey: true] : nil)
    let context = TestStore.context(coordinator)
    context.transactionAuthor = "tests"
    return context
  }

  private func insertOneOfEach(
    _ context: NSManagedObjectContext, _ model: NSManagedObjectModel
  ) throws -> [NSManagedObject] {
    model.entities.filter { !$0.isAbstract }.sorted { ($0.name ?? "") < ($1.name ?? "") }.map {
      NSEntityDescription.insertNewObject(forEntityName: $0.name ?? "", into: context)
    }
  }

  /// Relates every pair that the model allows, so that each kind of relationship is written; returns the objects
  /// together with those that had to be created for required relationships.
  private func relate(
    _ objects: [NSManagedObject], _ context: NSManagedObjectContext
  ) -> [NSManagedObject] {
    var all = objects
    for object in objects {
      for property in object.layout.values + object.layout.toManys
      where property.isRelationship && !property.isTransient {
        guard let destination = property.destination,
          let target = objects.first(where: { $0.layout.isKind(of: destination) })
        else { continue }
        if property.isToMany {
          object.add(target, to: property)
        } else if object.toOne(property) == nil {
          object.setToOne(target, property)
        }
      }
    }
    for object in objects {
      for property in object.layout.toManys where object.loadedMembers(property).objects.isEmpty {
        let needed = (property.description as? NSRelationshipDescription)?.minCount ?? 0
        guard needed > 0 || !property.isOptional,
          let destination = property.destination,
          let concrete = destination.model?.entities.first(where: {
            $0.isKind(of: destination) && !$0.entity.isAbstract
          })
        else { continue }
        for _ in 0..<max(1, needed) {
          let target = NSEntityDescription.insertNewObject(
            forEntityName: concrete.name, into: context)
          object.add(target, to: property)
          all.append(target)
        }
      }
    }
    return all
  }

  private func fill(_ object: NSManagedObject, _ number: Int) {
    for property in object.layout.values where !property.isTransient && !property.isDerived {
      if case .attribute(let type) = property.kind {
        object.setAttribute(sample(type, number), at: property.slot)
      }
    }
  }

  private func sample(_ type: NSAttributeType, _ number: Int) -> StoredValue {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      .integer(Int64(number))
    case .booleanAttributeType: .integer(1)
    case .doubleAttributeType, .floatAttributeType, .dateAttributeType: .real(Double(number) + 0.5)
    case .decimalAttributeType: .box(ValueBox(Decimal(number)))
    case .stringAttributeType: .text("title \(number)")
    case .UUIDAttributeType:
      .box(
        ValueBox(
          UUID(
            uuid: (
              1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
              UInt8(truncatingIfNeeded: number / 256), UInt8(truncatingIfNeeded: number)
            ))))
    case .URIAttributeType: .box(ValueBox(URL(fileURLWithPath: "/\(number)")))
    case .binaryDataAttributeType:
      .data(Data(repeating: UInt8(truncatingIfNeeded: number), count: number * 20_000 % 140_000))
    case .transformableAttributeType: .data(Data([1, 2, UInt8(truncatingIfNeeded: number)]))
    default: .null
    }
  }
}
