import Foundation
import PropertyLists

/// What a path names, as far as models go: a compiled model, a bundle of versions, an optimised
/// model, a store with its cached model, a source, or a folder that may hold any of these.
///
/// The one place that decides it, by what the file holds and not by what it is called:
///
/// ```swift
/// for file in try ModelFile(at: "Shop.app").modelFiles() {
///   for loaded in try file.models(.all) {
///     print(loaded.path, loaded.version ?? "", loaded.model.entities.count)
///   }
/// }
/// ```
///
/// Nothing is changed by looking: stores are opened so that no `-wal` or `-shm` file appears.
public struct ModelFile: Hashable, Sendable {
  /// What a path names.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A compiled model (`.mom`): a keyed archive, binary or XML.
    case compiledModel
    /// An optimised model (`.omo`).
    case optimizedModel
    /// A folder of a model's versions (`.momd`).
    case bundle
    /// A SQLite file: a store, with the model it was made with in its cache.
    case store
    /// A model's source: an `.xcdatamodeld` or `.xcdatamodel` folder. The module ModelSource reads
    /// it.
    case source
    /// Any other folder, an application perhaps: see ``ModelFile/modelFiles()``.
    case folder
  }

  /// Which of a bundle's versions is meant. Other kinds of files have one model, whatever is asked.
  public enum Selection: Hashable, Sendable {
    /// The current version.
    case current
    /// The version of this name, without extension.
    case named(String)
    /// All versions, in the order of their names.
    case all
  }

  /// The path, as it was given.
  public let path: String
  /// What it names.
  public let kind: Kind

  /// Finds out what a path names.
  ///
  /// - Throws: ``ModelFileError`` when there is nothing at the path, or a file of no kind that has to
  ///   do with models.
  public init(at path: String) throws(ModelFileError) {
    self.path = path
    kind = try Self.kind(ofPath: path)
  }

  /// How a SQLite file begins.
  private static let storeMagic = Array("SQLite format 3\u{0}".utf8)

  init(path: String, kind: Kind) {
    self.path = path
    self.kind = kind
  }

  /// What a file holds, judged by its first bytes: 16 are enough. `nil` when it is none of the kinds.
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
    // Closing a descriptor of our own would end the locks of a store that this process has open.
    if OpenStoreFiles.shared.isOpen(path) { return .store }
    let head: [UInt8]
    do {
      head = try FileBytes.readPrefix(of: path, count: 512)
    } catch {
      throw ModelFileError(error, path: path)
    }
    guard let kind = kind(ofBytes: head) else {
      let what = head.isEmpty ? "the file is empty" : "the file holds no model"
      throw ModelFileError(
        .unknownKind,
        "\(what): expected a compiled model (.mom), an optimised one (.omo) or a SQLite store",
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

/// A model that was read, and where it came from.
public struct LoadedModel {
  /// The file that was read.
  public var path: String
  /// The name of the version, for a model of a bundle.
  public var version: String?
  /// The model.
  public var model: NSManagedObjectModel

  /// Names a model's origin.
  public init(path: String, version: String? = nil, model: NSManagedObjectModel) {
    self.path = path
    self.version = version
    self.model = model
  }
}
