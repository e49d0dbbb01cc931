import Foundation
import PropertyLists

extension NSManagedObjectModel {
  /// Writes the model with the bytes that momc would write. A MomKit addition.
  ///
  /// ```swift
  /// try model.write(to: URL(fileURLWithPath: "Shop.momd"))
  /// let again = NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "Shop.momd"))
  /// ```
  ///
  /// Writing is atomic: either the old file or bundle is unchanged, or the new one is complete. To write a bundle with
  /// several versions, see ``ModelBundle/write(_:currentVersionName:to:options:carryingOver:)``.
  ///
  /// - Parameters:
  ///   - url: A file or, with the extension `momd`, a bundle, whose only version is current and gets the bundle's name.
  ///   - options: Options for the archive.
  /// - Throws: ``ModelFileError`` when the model can't be archived or written.
  public final func write(
    to url: URL, options: ModelArchiveOptions = ModelArchiveOptions()
  ) throws(ModelFileError) {
    guard url.isFileURL else {
      throw ModelFileError(.unwritable, "a model can only be written to a file", path: "\(url)")
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
  /// Writes a compiled model (`.mom`) atomically, with the bytes that momc would write.
  ///
  /// - Throws: ``ModelFileError`` when the model can't be archived or written; an old file is then unchanged.
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
