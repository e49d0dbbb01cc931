import DataModels
import Foundation

extension NSPersistentContainer {
  /// Creates a container whose model is the file `NAME.momd` or `NAME.mom` in the program's resources. Call
  /// ``loadPersistentStores(completionHandler:)`` to open its stores.
  ///
  /// The file is looked up in the main bundle, in the bundle of the container's class, in the resource bundles that
  /// SwiftPM puts beside the program, and beside the program itself. Bundles of the program's own come before those of
  /// other packages; a warning is written to standard error if several of these have different models of the name, and
  /// if there is none, in which case the container's model has no entities.
  public convenience init(name: String) {
    self.init(name: name, managedObjectModel: ModelSearch(for: Self.self).model(named: name))
  }
}

/// Looks up a container's model.
struct ModelSearch {
  /// Folders that are searched one after the other.
  private let folders: [URL]
  /// Folders of packages' resources, by rank.
  private let packages: [[URL]]

  init(for type: NSPersistentContainer.Type) {
    let main = Bundle.main
    var folders = [
      main.resourceURL, main.bundleURL, main.executableURL?.deletingLastPathComponent(),
    ]
    .compactMap { $0 }
    if type != NSPersistentContainer.self {
      let own = Bundle(for: type)
      folders = [own.resourceURL, own.bundleURL].compactMap { $0 } + folders
    }
    self.init(in: folders, program: main.executableURL?.lastPathComponent ?? "")
  }

  /// - Parameter program: the name of the program's file.
  init(in folders: [URL], program: String) {
    self.folders = folders
    packages = ResourceFolders(in: folders, program: program).ranks
  }

  func model(named name: String) -> NSManagedObjectModel {
    for folder in folders {
      if let (model, _) = Self.model(named: name, in: folder) { return model }
    }
    for rank in packages {
      let found = rank.compactMap { Self.model(named: name, in: $0) }
      guard let (model, url) = found.first else { continue }
      let hashes = model.entityVersionHashesByName
      if let (_, other) = found.first(where: { $0.0.entityVersionHashesByName != hashes }) {
        CoreDataLog.warning(
          "Several packages have a model named \(name): using \(url.path), not \(other.path)")
      }
      return model
    }
    CoreDataLog.error(" Failed to load model named \(name)")
    return NSManagedObjectModel()
  }

  private static func model(named name: String, in folder: URL) -> (NSManagedObjectModel, URL)? {
    for form in ["momd", "mom"] {
      let url = folder.appendingPathComponent("\(name).\(form)")
      guard FileManager.default.fileExists(atPath: url.path) else { continue }
      if let model = NSManagedObjectModel(contentsOf: url) { return (model, url) }
    }
    return nil
  }
}
