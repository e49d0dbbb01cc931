import DataModels
import Foundation

extension NSPersistentContainer {
  /// Creates a container whose model is the file `NAME.momd` or `NAME.mom` in the program's resources. Call
  /// ``loadPersistentStores(completionHandler:)`` to open its stores.
  ///
  /// The file is looked up in the main bundle, in the bundle of the container's class, in the resource bundles that
  /// SwiftPM puts beside the program, and beside the program itself. If it isn't found, the container's model has no
  /// entities, and a warning is written to standard error.
  public convenience init(name: String) {
    self.init(name: name, managedObjectModel: ModelSearch(for: Self.self).model(named: name))
  }
}

/// Looks up a container's model.
struct ModelSearch {
  private let folders: [URL]

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
    // A package's resources are in folders of their own beside the program.
    let packages = folders.flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
        ?? []).filter { $0.pathExtension == "resources" }.sorted { $0.path < $1.path }
    }
    self.folders = folders + packages
  }

  func model(named name: String) -> NSManagedObjectModel {
    for folder in folders {
      for form in ["momd", "mom"] {
        let url = folder.appendingPathComponent("\(name).\(form)")
        guard FileManager.default.fileExists(atPath: url.path) else { continue }
        if let model = NSManagedObjectModel(contentsOf: url) { return model }
      }
    }
    try? FileHandle.standardError.write(
      contentsOf: Data("CoreData: error:  Failed to load model named \(name)\n".utf8))
    return NSManagedObjectModel()
  }
}
