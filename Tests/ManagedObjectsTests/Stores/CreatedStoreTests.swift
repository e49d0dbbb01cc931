import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores created from real models satisfy the independent oracles.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct CreatedStoreTests {
  @Test func storesMadeFromRealModelsSatisfyTheOracles() throws {
    let folder = try TemporaryFolder()
    var names: [String: String] = [:]
    for (index, file) in Corpus.files(ofKind: "mom").enumerated() {
      guard let model = NSManagedObjectModel(contentsOf: file.url), !model.entities.isEmpty else {
        continue
      }
      let url = folder.file("\(index).sqlite")
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      do {
        try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: nil, at: url)
      } catch {
        Issue.record("\(file.path): \(error)")
        continue
      }
      names[url.lastPathComponent] = file.path
      #expect(try StoreFile(at: url.path).verify().isEmpty, "\(file.path)")
    }
    #expect(names.count > 100)
    for (store, problem) in try StoreOracle.findings(
      names.keys.sorted().map { folder.file($0) }, in: folder)
    {
      Issue.record("\(names[store] ?? ""): \(problem)")
    }
  }
}
