import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

@Suite struct ModelBundleTests {
  /// A model of one entity with the given attributes.
  private func model(_ attributes: String...) -> NSManagedObjectModel {
    let entity = entity("Order", class: "Order")
    entity.properties = attributes.map { name in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.type = .string
      return attribute
    }
    return NSManagedObjectModel(of: [entity])
  }

  private func versions(_ names: String...) -> [ModelBundle.NewVersion] {
    names.map { ModelBundle.NewVersion(name: $0, model: model("number", $0)) }
  }

  @Test func versionsAreWrittenAndRead() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("My Shop.momd").path
    try ModelBundle.write(
      versions("My Shop", "My Shop 2", "My Shop 3"), currentVersionName: "My Shop 2", to: path)
    let bundle = try ModelBundle(at: path)
    #expect(bundle.versionNames == ["My Shop", "My Shop 2", "My Shop 3"])
    #expect(try bundle.currentVersionName() == "My Shop 2")
    #expect(bundle.verify() == [])
    #expect(try bundle.model().entities[0].attributesByName["My Shop 2"] != nil)
    #expect(try bundle.model(named: "My Shop").entities[0].attributesByName["My Shop"] != nil)
    let checksums = try NSManagedObjectModel.checksumsForVersionedModel(
      at: folder.file("My Shop.momd"))
    #expect(checksums["My Shop 3"] == (try bundle.model(named: "My Shop 3")).versionChecksum)
    let error = #expect(throws: ModelFileError.self) { try bundle.model(named: "My Shop 4") }
    #expect(error?.code == .noSuchVersion)
    #expect(error?.message.contains("'My Shop 3'") == true)
    #expect(try ModelFile(at: path).models(.all).map(\.version) == bundle.versionNames)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 1)
  }

  /// A file system or an archiver may have written names in another normalization form than the property list has.
  @Test func namesInAnyNormalizationFormAreFound() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Shop.momd").path
    let (composed, decomposed) = ("Caf\u{E9}", "Cafe\u{301}")
    try ModelBundle.write(
      versions(composed, "B"), currentVersionName: composed, to: path)
    try FileManager.default.moveItem(
      atPath: path + "/" + composed + ".mom", toPath: path + "/" + decomposed + ".mom")
    let bundle = try ModelBundle(at: path)
    #expect(try bundle.model().entities[0].attributesByName[composed] != nil)
    #expect(try bundle.model(named: decomposed).entities.count == 1)
    #expect(bundle.verify() == [])
    try FileManager.default.moveItem(
      atPath: path + "/" + decomposed + ".mom", toPath: path + "/" + decomposed + ".omo")
    let optimized = try ModelBundle(at: path).path(ofVersion: composed)
    #expect(FileManager.default.fileExists(atPath: optimized))
  }

  @Test func storesFindTheirVersion() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Shop.momd")
    try ModelBundle.write(versions("A", "B"), currentVersionName: "B", to: url.path)
    let old = try ModelBundle(at: url.path).model(named: "A")
    let metadata: [String: Any] = ["NSStoreModelVersionHashes": old.entityVersionHashesByName]
    let found = try #require(NSManagedObjectModel(contentsOf: url, forStoreMetadata: metadata))
    #expect(found.entities[0].attributesByName["A"] != nil)
    #expect(
      NSManagedObjectModel(
        contentsOf: url, forStoreMetadata: ["NSStoreModelVersionHashes": ["Order": Data()]]) == nil)
  }

  @Test func aBundleReplacesABundleAndNothingElse() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Shop.momd").path
    try ModelBundle.write(versions("A", "B"), currentVersionName: "A", to: path)
    try ModelBundle.write(versions("C"), currentVersionName: nil, to: path)
    #expect(try ModelBundle(at: path).versionNames == ["C"])
    #expect(try ModelBundle(at: path).currentVersionName() == "C")
    try Data("mine".utf8).write(to: folder.file("Shop.momd/notes.txt"))
    let before = try folder.contents()
    for refused in [folder.file("Shop.momd").path, folder.file("Shop.momd/C.mom").path] {
      let error = #expect(throws: ModelFileError.self) {
        try ModelBundle.write(versions("D"), currentVersionName: nil, to: refused)
      }
      #expect(error?.code == .unwritable)
    }
    #expect(try folder.contents() == before)
  }

  @Test(arguments: [[], ["a/b"], [""], ["..", "x"], ["x", "x"]])
  func badNamesAreRefused(names: [String]) throws {
    let folder = try TemporaryFolder()
    #expect(throws: ModelFileError.self) {
      try ModelBundle.write(
        names.map { ModelBundle.NewVersion(name: $0, model: model("a")) },
        currentVersionName: nil, to: folder.file("M.momd").path)
    }
    #expect(try folder.contents().isEmpty)
  }

  /// Differences from the records are reported.
  @Test func differencesAreListed() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Shop.momd").path
    try ModelBundle.write(versions("A", "B"), currentVersionName: "B", to: path)
    try model("number", "other").write(to: folder.file("Shop.momd/A.mom"))
    try model("x").write(to: folder.file("Shop.momd/New.mom"))
    try FileManager.default.removeItem(at: folder.file("Shop.momd/B.mom"))
    #expect(
      try ModelBundle(at: path).verify().map { "\($0.kind.rawValue) \($0.version ?? "")" } == [
        "missing-current-version B", "entity-hash A", "checksum A", "missing-version B",
        "unrecorded-version New",
      ])
  }

  /// `Info.plist` may contain the keys; a current version outside the bundle isn't accepted.
  @Test func otherRecordsServe() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Shop.momd").path
    try ModelBundle.write(versions("A", "B"), currentVersionName: "B", to: path)
    let plist = folder.file("Shop.momd/VersionInfo.plist")
    try FileManager.default.moveItem(at: plist, to: folder.file("Shop.momd/Info.plist"))
    #expect(try ModelBundle(at: path).currentVersionName() == "B")
    try model("secret").write(to: folder.file("secret.mom"))
    var info = try VersionInfo(inBundle: path)
    info.currentVersionName = "../secret"
    try info.write(to: plist.path)
    #expect(throws: ModelFileError.self) { try ModelBundle(at: path).model() }
    try FileManager.default.removeItem(at: plist)
    try FileManager.default.removeItem(at: folder.file("Shop.momd/Info.plist"))
    let error = #expect(throws: ModelFileError.self) { try ModelBundle(at: path).model() }
    #expect(error?.code == .noCurrentVersion)
  }

  /// Whole real bundles are reproduced in every file, if a recent 64-bit momc created them.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func realBundlesAreWrittenAsTheyWere() throws {
    let folder = try TemporaryFolder()
    var same = 0
    for (number, file) in Corpus.files(ofKind: "versioninfo").enumerated() {
      let path = file.url.deletingLastPathComponent().path
      let bundle = try ModelBundle(at: path)
      let loaded = try ModelFile(at: path).models(.all)
      guard loaded.allSatisfy({ $0.model.compilerStamp != nil }) else { continue }
      let copy = folder.file("\(number).momd").path
      try ModelBundle.write(
        loaded.map { ModelBundle.NewVersion(name: $0.version ?? "", model: $0.model) },
        currentVersionName: bundle.versionInfo?.currentVersionName, to: copy,
        carryingOver: bundle.versionInfo)
      #expect(try ModelBundle(at: copy).verify() == [], "\(file.path)")
      for name in try FileManager.default.contentsOfDirectory(atPath: copy) {
        let isEqual =
          try FileBytes.read(copy + "/" + name) == FileBytes.read(path + "/" + name)
        #expect(isEqual, "\(file.path) \(name)")
      }
      same += 1
    }
    #expect(same > 5)
  }

  @Test func foundationsNamesReachOurCoder() throws {
    let model = model("number")
    let data = try NSKeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: true)
    #expect(NSKeyedArchiver.archivedData(withRootObject: model) == data)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NSManagedObjectModel.self, from: data))
    #expect(read.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(throws: ModelFileError.self) {
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: NSManagedObjectModel.self, from: data.dropLast(40))
    }
  }

  @Test func foldersAreMerged() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder.file("App.app/Frameworks"), withIntermediateDirectories: true)
    try model("a").write(to: folder.file("App.app/Orders.momd"))
    let other = model("b")
    other.entities[0].name = "Person"
    try other.write(to: folder.file("App.app/Frameworks/People.mom"))
    let app = try ModelFile(at: folder.file("App.app").path)
    #expect(app.kind == .folder)
    #expect(
      try app.modelFiles().map { $0.path.dropFirst(app.path.count) } == [
        "/Frameworks/People.mom", "/Orders.momd",
      ])
    #expect(
      try ModelFile(at: app.path + "/").models().map(\.path) == [
        app.path + "/Frameworks/People.mom", app.path + "/Orders.momd/Orders.mom",
      ])
    let merged = try NSManagedObjectModel(loading: app.path)
    #expect(Set(merged.entitiesByName.keys) == ["Order", "Person"])
    try model("other").write(to: folder.file("App.app/Second.mom"))
    let error = #expect(throws: ModelFileError.self) {
      try NSManagedObjectModel(loading: app.path)
    }
    #expect(error?.code == .mergeConflict)
  }
}
