import Foundation
import PropertyLists

/// The kind of model file at a path: a compiled model, a bundle of versions, an optimized model, a store with its
/// cached model, a source, or a folder that may contain any of these.
///
/// This is the only place that determines the kind, by the file's contents rather than its name:
///
/// ```swift
/// for file in try ModelFile(at: "Shop.app").modelFiles() {
///   for loaded in try file.models(.all) {
///     print(loaded.path, loaded.version ?? "", loaded.model.entities.count)
///   }
/// }
/// ```
///
/// Examining a file doesn't modify anything: stores are opened so that no `-wal` or `-shm` file is created.
public struct ModelFile: Hashable, Sendable {
  /// The kind of file at a path.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A compiled model (`.mom`): a keyed archive, binary or XML.
    case compiledModel
    /// An optimised model (`.omo`).
    case optimizedModel
    /// A folder of model versions (`.momd`).
    case bundle
    /// A SQLite file: a store, whose cache contains the model it was created with.
    case store
    /// A model source: an `.xcdatamodeld` or `.xcdatamodel` folder. It is read by the module ModelSource.
    case source
    /// Any other folder, such as an application: see ``ModelFile/modelFiles()``.
    case folder
  }

  /// Which of a bundle's versions to read. Files of other kinds have a single model, regardless of the selection.
  public enum Selection: Hashable, Sendable {
    /// The current version.
    case current
    /// The version with this name, without extension.
    case named(String)
    /// All versions, in the order of their names.
    case all
  }

  /// The path, as given.
  public let path: String
  /// The kind of file.
  public let kind: Kind

  /// Determines what kind of file is at a path.
  ///
  /// - Throws: ``ModelFileError`` when nothing exists at the path, or the file is not related to models.
  public init(at path: String) throws(ModelFileError) {
    self.path = path
    kind = try Self.kind(ofPath: path)
  }

  /// The first bytes of a SQLite file.
  private static let storeMagic = Array("SQLite format 3\u{0}".utf8)

  init(path: String, kind: Kind) {
    self.path = path
    self.kind = kind
  }

  /// The kind of a file's contents, determined from its first bytes, of which 16 are enough; `nil` when unknown.
  public static func kind(ofBytes bytes: some Collection<UInt8>) -> Kind? {
    if BinaryPropertyList.hasMagic(bytes) || XMLPropertyList.looksLikeXML(Array(bytes.prefix(512)))
    {
      return .compiledModel
    }
    if bytes.starts(with: OptimizedModel.magic) { return .optimizedModel }
    if bytes.starts(with: storeMagic) { return .store }
    return nil
  }

  private static func kind(ofPath path: String) throws(ModelFileError) -> Kind {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw ModelFileError(.notFound, "there is no such file", path: path)
    }
    if isFolder.boolValue { return folderKind(path) }
    // Don't open a store that is in use: closing our descriptor would release the locks that this process holds on it.
    if OpenStoreFiles.shared.isOpen(path) { return .store }
    let head: [UInt8]
    do {
      head = try FileBytes.readPrefix(of: path, count: 512)
    } catch {
      throw ModelFileError(error, path: path)
    }
    guard let kind = kind(ofBytes: head) else {
      let what = head.isEmpty ? "the file is empty" : "the file contains no model"
      throw ModelFileError(
        .unknownKind,
        "\(what): expected a compiled model (.mom), an optimized one (.omo) or a SQLite store",
        path: path)
    }
    return kind
  }

  private static func folderKind(_ path: String) -> Kind {
    switch URL(fileURLWithPath: path).pathExtension.lowercased() {
    case "momd": .bundle
    case "xcdatamodeld", "xcdatamodel": .source
    default: VersionInfo.exists(in: path) ? .bundle : .folder
    }
  }
}

/// A loaded model and its origin.
public struct LoadedModel: Sendable {
  /// The file that was read.
  public var path: String
  /// The name of the version, for a model from a bundle.
  public var version: String?
  /// The model.
  public var model: NSManagedObjectModel

  /// Creates a loaded model.
  public init(path: String, version: String? = nil, model: NSManagedObjectModel) {
    self.path = path
    self.version = version
    self.model = model
  }
}
