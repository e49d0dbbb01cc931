import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Saves of many new objects of which some have unique values that rows of the store, or others of them, have already.
@Suite struct ManyClashesTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  /// The codes of the new objects, in order; the store has 1 to 5.
  private static let codes: [Int?] = [1, 2, 2, 9, 3, 9, nil, 4, 10, nil, 5, 1]

  init() throws {
    folder = try TemporaryFolder()
    let item = SmallModel.entity(
      "Item", [SmallModel.number("code"), SmallModel.text("title"), SmallModel.text("note")],
      unique: [["code"]])
    coordinator = try SmallModel.coordinator(
      SmallModel.model(item), folder.file("many.sqlite"))
    let context = SmallModel.context(coordinator)
    for code in 1...5 {
      SmallModel.new("Item", ["code": code, "title": "old", "note": "\(code)"], in: context)
    }
    try context.save()
  }

  private func insert(_ type: NSMergePolicyType) -> (NSManagedObjectContext, [NSManagedObject]) {
    let context = SmallModel.context(coordinator, type)
    let objects = Self.codes.enumerated().map { index, code in
      let object = SmallModel.new("Item", ["title": "new \(index)"], in: context)
      object["code"] = code
      return object
    }
    return (context, objects)
  }

  @Test func allConflictsAreTold() throws {
    let (context, objects) = insert(.errorMergePolicyType)
    let error = #expect(throws: NSError.self) { try context.save() }
    let conflicts = try #require(
      error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])
    let told = conflicts.map { conflict in
      conflict.conflictingObjects.compactMap { objects.firstIndex(of: $0) }
    }
    #expect(told == [[0, 11], [1, 2], [4], [3, 5], [7], [10]])
    // Several objects resolve their conflict among themselves first.
    #expect(conflicts.map { $0.databaseObject != nil } == [false, false, true, false, true, true])
    #expect(
      conflicts.compactMap { $0.databaseSnapshot?["note"] as? String } == ["3", "4", "5"])
  }

  @Test(arguments: [
    NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
    .mergeByPropertyStoreTrumpMergePolicyType,
  ])
  func eachCodeHasOneRow(_ type: NSMergePolicyType) throws {
    let (context, _) = insert(type)
    try context.save()
    let rows = try SmallModel.all("Item", SmallModel.context(coordinator))
    var titles: [Int: String] = [:]
    var notes: [Int: String] = [:]
    for row in rows {
      guard let code = row["code"] as? Int else { continue }
      #expect(titles[code] == nil)
      titles[code] = row["title"] as? String
      notes[code] = row["note"] as? String
    }
    #expect(rows.count == 9)
    switch type {
    case .mergeByPropertyStoreTrumpMergePolicyType:
      #expect(
        titles == [
          1: "old", 2: "old", 3: "old", 4: "old", 5: "old", 9: "new 3", 10: "new 8",
        ])
      #expect(notes == [1: "1", 2: "2", 3: "3", 4: "4", 5: "5"])
    default:
      #expect(
        titles == [
          1: "new 11", 2: "new 2", 3: "new 4", 4: "new 7", 5: "new 10", 9: "new 5", 10: "new 8",
        ])
      #expect(
        notes
          == (type == .overwriteMergePolicyType
            ? [:] : [1: "1", 2: "2", 3: "3", 4: "4", 5: "5"]))
    }
  }
}
