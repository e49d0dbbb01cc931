import Foundation
import TestSupport
import Testing

@testable import DataModels

/// Which of the models beside a program are its own.
@Suite struct ProgramModelTests {
  /// Puts a model with one entity into a folder.
  private func add(_ entityName: String, to place: URL) throws {
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let model = NSManagedObjectModel(of: [entity(entityName)])
    try Data(ModelArchive.encode(model))
      .write(to: place.appendingPathComponent("\(entityName).mom"))
  }

  private func names(_ program: String, _ folder: TemporaryFolder) -> [String] {
    ModelFile.modelFiles(ofProgram: program, in: folder.url.path).map {
      URL(fileURLWithPath: $0.path).lastPathComponent
    }
  }

  @Test(arguments: [
    ("Shop", ["Own.mom"]), ("ShopPackageTests.xctest", ["Own.mom"]),
    ("Data", ["First.mom", "Second.mom"]),
    ("Other", ["Foreign.mom", "First.mom", "Second.mom", "Own.mom"]),
  ])
  func theBestRankIsTaken(program: String, expected: [String]) throws {
    let folder = try TemporaryFolder()
    try add("Foreign", to: folder.file("Analytics_Analytics.resources"))
    try add("First", to: folder.file("Data_First.resources"))
    try add("Second", to: folder.file("Data_Second.resources"))
    try add("Own", to: folder.file("Shop_Shop.resources"))
    #expect(names(program, folder) == expected)
    // What lies beside the program itself is always its own.
    try add("Beside", to: folder.url)
    #expect(names(program, folder) == ["Beside.mom"] + expected)
  }

  /// Resources without models don't keep the next rank from being looked at.
  @Test func ranksWithoutModelsArePassedOver() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder.file("Shop_Shop.resources"), withIntermediateDirectories: true)
    try add("Model", to: folder.file("Shop_Models.resources"))
    try add("Foreign", to: folder.file("Analytics_Analytics.resources"))
    #expect(names("Shop", folder) == ["Model.mom"])
  }

  /// Another bundle has its own resources only, whatever was built beside or inside it.
  @Test func otherBundlesHaveTheirOwnModels() throws {
    let folder = try TemporaryFolder()
    let place = folder.file("Data_First.resources")
    try add("First", to: place)
    try add("Nested", to: place.appendingPathComponent("Analytics_Analytics.resources"))
    let bundle = try #require(Bundle(path: place.path))
    let merged = NSManagedObjectModel.mergedModel(from: [bundle])
    #expect(merged?.entities.map(\.name) == ["First"])
  }
}
