import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Where containers put their stores and find their models.
@Suite struct ContainerPlaceTests {
  @Test func theDefaultFolderExists() {
    let folder = NSPersistentContainer.defaultDirectoryURL()
    #expect(FileManager.default.fileExists(atPath: folder.path))
  }

  // MARK: Models

  /// Puts a model `Model.mom` with one entity into the resources of a package's target.
  private func add(_ entityName: String, to bundle: String, in folder: TemporaryFolder) throws {
    let resources = folder.file(bundle + ".resources")
    try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
    let model = NSManagedObjectModel(of: [entity(entityName)])
    try Data(ModelArchive.encode(model)).write(to: resources.appendingPathComponent("Model.mom"))
  }

  @Test(arguments: [
    ("Shop", "Own"), ("ShopPackageTests.xctest", "Own"), ("Data", "Package"), ("Other", "Others"),
  ])
  func ownModelsComeFirst(program: String, expected: String) throws {
    let folder = try TemporaryFolder()
    try add("Others", to: "Analytics_Analytics", in: folder)
    try add("Own", to: "Shop_Shop", in: folder)
    try add("Package", to: "Data_Models", in: folder)
    let search = ModelSearch(in: [folder.url], program: program)
    #expect(search.model(named: "Model").entities.map(\.name) == [expected])
    #expect(search.model(named: "Missing").entities.isEmpty)
  }
}
