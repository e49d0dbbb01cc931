import Foundation

/// A reference to a version of a model, consisting of its checksum and where to find it.
///
/// ```swift
/// let v2 = NSManagedObjectModelReference(
///   name: "Shop 2", in: .main, versionChecksum: "0nmpnsCE2z…")
/// ```
public final class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
  // Sendable: the resolved model is protected by a lock; everything else is immutable.

  /// The checksum that the model must have; see `NSManagedObjectModel.versionChecksum`.
  public let versionChecksum: String

  private enum Place {
    case model(NSManagedObjectModel)
    case file(URL)
    case name(String, Bundle?)
    case hashes([String: Data], Bundle?)
  }

  private let place: Place
  private let lock = NSLock()
  private var resolved: NSManagedObjectModel?

  /// Creates a reference to an existing model.
  public init(model: NSManagedObjectModel, versionChecksum: String) {
    place = .model(model)
    self.versionChecksum = versionChecksum
  }

  /// Creates a reference to a model file: a `.mom`, or the version of a `.momd` that has the checksum.
  public init(fileURL: URL, versionChecksum: String) {
    place = .file(fileURL)
    self.versionChecksum = versionChecksum
  }

  /// Creates a reference to a model in a bundle by name: that of a `.mom`, of a `.momd`, or of a version in one.
  ///
  /// - Parameters:
  ///   - modelName: The name, without extension.
  ///   - bundle: The bundle; `nil` for the program's main bundle.
  ///   - versionChecksum: The checksum that the model must have.
  public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
    place = .name(modelName, bundle)
    self.versionChecksum = versionChecksum
  }

  /// Creates a reference to a model in a bundle by the version hashes of its entities.
  ///
  /// - Parameters:
  ///   - versionHash: The hashes, by entity name.
  ///   - bundle: The bundle; `nil` for the program's main bundle.
  ///   - versionChecksum: The checksum that the model must have.
  public init(
    entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String
  ) {
    var hashes: [String: Data] = [:]
    for (name, hash) in versionHash {
      if let name = name as? String, let hash = hash as? Data { hashes[name] = hash }
    }
    place = .hashes(hashes, bundle)
    self.versionChecksum = versionChecksum
  }

  /// The model. A reference that can't be resolved is a programmer error and traps; a migration throws in that case.
  public var resolvedModel: NSManagedObjectModel {
    do { return try resolve() } catch {
      Misuse.trap("-[NSManagedObjectModelReference resolvedModel]: \(error)")
    }
  }

  /// Resolves the reference; returns the same object each time.
  ///
  /// - Throws: ``ModelFileError`` when the model is missing or has another checksum.
  public func resolve() throws(ModelFileError) -> NSManagedObjectModel {
    lock.lock()
    defer { lock.unlock() }
    if let resolved { return resolved }
    let candidates = try candidates()
    let found = candidates.first { $0.versionChecksum == versionChecksum }
    guard let found else {
      let others = candidates.map(\.versionChecksum).joined(separator: ", ")
      throw ModelFileError(
        .noMatchingVersion,
        "no model with the checksum \(versionChecksum) \(text)"
          + (candidates.isEmpty ? "" : "; there is \(others)"))
    }
    resolved = found
    return found
  }

  private var text: String {
    switch place {
    case .model: "was given"
    case .file(let url): "is at \(url.path)"
    case .name(let name, _): "is named \(name) in the bundle"
    case .hashes: "with these entity hashes is in the bundle"
    }
  }

  private func candidates() throws(ModelFileError) -> [NSManagedObjectModel] {
    switch place {
    case .model(let model): return [model]
    case .file(let url): return try ModelFile(at: url.path).models(.all).map(\.model)
    case .name(let name, let bundle):
      return Self.files(in: bundle).flatMap { file -> [NSManagedObjectModel] in
        let stem = URL(fileURLWithPath: file.path).deletingPathExtension().lastPathComponent
        let loaded = (try? file.models(.all)) ?? []
        return loaded.filter { stem == name || $0.version == name }.map(\.model)
      }
    case .hashes(let hashes, let bundle):
      return Self.files(in: bundle).flatMap { (try? $0.models(.all)) ?? [] }.map(\.model)
        .filter { $0.entityVersionHashesByName == hashes }
    }
  }

  private static func files(in bundle: Bundle?) -> [ModelFile] {
    let bundle = bundle ?? .main
    return ModelFile.modelFiles(amongResources: bundle.resourcePath ?? bundle.bundlePath)
  }
}
