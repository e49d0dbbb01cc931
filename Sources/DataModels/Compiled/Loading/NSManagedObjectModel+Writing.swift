import Foundation
import PropertyLists

extension NSManagedObjectModel {
  /// Writes the model, with the bytes momc would give it. MomKit's own addition.
  ///
  /// ```swift
  /// try model.write(to: URL(fileURLWithPath: "Shop.momd"))
  /// let again = NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "Shop.momd"))
  /// ```
  ///
  /// Either the old file or bundle stays as it was, or the new one is there in full. To write a
  /// bundle of several versions, see ``ModelBundle/write(_:currentVersionName:to:options:carryingOver:)``.
  ///
  /// - Parameters:
  ///   - url: A file, or with the extension `momd` a bundle, whose one and current version gets the
  ///     bundle's name.
  ///   - options: How the archive is written.
  /// - Throws: ``ModelFileError`` when the model can't be archived or written.
  public final func write(
    to url: URL, options: ModelArchiveOptions = ModelArchiveOptions()
  ) throws(ModelFileError) {
    guard url.isFileURL else {
      throw ModelFileError(.unwritable, "a model is written to files only", path: "\(url)")
    }
    if url.pathExtension == "momd" {
      let name = url.deletingPathExtension().lastPathComponent
      try ModelBundle.write(
        [ModelBundle.NewVersion(name: name, model: self)], currentVersionName: name,
        to: url.path, options: options)
    } else {
      try ModelFile.write(self, to: url.path, options: options)
    }
  }
}

extension ModelFile {
  /// Writes a compiled model (`.mom`), atomically, with the bytes momc would give it.
  ///
  /// - Throws: ``ModelFileError`` when the model can't be archived or written; an old file is then as
  ///   it was.
  public static func write(
    _ model: NSManagedObjectModel, to path: String,
    options: ModelArchiveOptions = ModelArchiveOptions()
  ) throws(ModelFileError) {
    let bytes: [UInt8]
    do {
      bytes = try ModelArchive.encode(model, options: options)
    } catch {
      throw ModelFileError(error, path: path)
    }
    do {
      try AtomicFile.write(bytes, to: path)
    } catch {
      throw ModelFileError(writing: error, path: path)
    }
  }
}
