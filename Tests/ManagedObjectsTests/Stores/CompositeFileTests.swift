import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Large elements of composites, which are stored in files.
@Suite struct CompositeFileTests {
  private let folder: TemporaryFolder
  private let context: NSManagedObjectContext
  private let documents: [NSManagedObject]

  /// `Document {name, media {caption, inner {photo}}}`, two of them with a photo in a file.
  init() throws {
    folder = try TemporaryFolder()
    func composite(_ name: String, _ elements: [NSAttributeDescription]) -> NSAttributeDescription {
      let composite = NSCompositeAttributeDescription()
      composite.name = name
      composite.isOptional = true
      composite.elements = elements
      return composite
    }
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    photo.isOptional = true
    let media = composite("media", [SmallModel.text("caption"), composite("inner", [photo])])
    context = SmallModel.context(
      try SmallModel.coordinator(
        SmallModel.model(SmallModel.entity("Document", [SmallModel.text("name"), media])),
        folder.file("a.sqlite")))
    let context = context
    documents = ["a", "b"].map {
      SmallModel.new("Document", ["name": $0, "media": Self.media($0)], in: context)
    }
    try context.save()
  }

  private static func media(_ caption: String) -> [String: Any] {
    ["caption": caption, "inner": ["photo": Data(repeating: 1, count: 200_000)]]
  }

  private func check(fileCount: Int, _ comment: Comment) throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.file(".a_SUPPORT/_EXTERNAL_DATA").path)
    #expect(files.count == fileCount, comment)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [], comment)
  }

  private func photo(_ document: NSManagedObject) -> Data? {
    let media = document["media"] as? [String: Any]
    return (media?["inner"] as? [String: Any])?["photo"] as? Data
  }

  @Test func filesThatNoRowNamesAreRemoved() throws {
    try check(fileCount: 2, "saved")
    documents[0]["media"] = Self.media("c")
    try context.save()
    try check(fileCount: 2, "changed")
    context.delete(documents[0])
    try context.save()
    try check(fileCount: 1, "deleted")
    try context.execute(
      NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Document")))
    try check(fileCount: 0, "deleted by a batch")
  }

  @Test func aBatchUpdateWritesAFileForEachRow() throws {
    let update = NSBatchUpdateRequest(entityName: "Document")
    update.propertiesToUpdate = ["media": Self.media("same")]
    try context.execute(update)
    try check(fileCount: 2, "updated")
    context.refreshAllObjects()
    context.delete(documents[0])
    try context.save()
    #expect(photo(documents[1])?.count == 200_000)
    try check(fileCount: 1, "deleted")
  }
}
