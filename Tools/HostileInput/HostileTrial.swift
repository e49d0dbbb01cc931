import DataModels
import PropertyLists

/// Passes untrusted bytes to a reader, and whatever it accepts to everything else that the module does with it.
///
/// A reader may reject bytes with an error. Whatever it accepts must be written in a form that it accepts again;
/// otherwise the trial traps, as does any defect encountered on the way.
public enum HostileTrial: String, CaseIterable, Sendable {
  /// Property lists, binary and XML.
  case propertyList
  /// Keyed archives, their values and their listing.
  case archive
  /// Compiled models.
  case model
  /// `VersionInfo.plist`.
  case versionInfo
  /// A store's cached model.
  case modelCache
  /// Optimized models.
  case optimizedModel
  /// Compiled mapping models.
  case mapping

  /// A trial's memory limits: lower than a program's, so that excessive use is noticed.
  private static let limits = ArchiveLimits(byteCount: 1 << 26, stringByteCount: 1 << 27)

  /// Passes the bytes to the reader.
  ///
  /// - Returns: whether they were accepted.
  @discardableResult
  public func run(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .propertyList: Self.tryPropertyList(bytes)
    case .archive: Self.tryArchive(bytes)
    case .model: Self.tryModel(bytes)
    case .versionInfo: Self.tryVersionInfo(bytes)
    case .modelCache: Self.tryModelCache(bytes)
    case .optimizedModel: Self.tryOptimizedModel(bytes)
    case .mapping: Self.tryMapping(bytes)
    }
  }

  private static func tryPropertyList(_ bytes: [UInt8]) -> Bool {
    guard let list = try? BinaryPropertyList(anyForm: bytes) else { return false }
    let written = PropertyListGraph(list).binary()
    guard let again = try? BinaryPropertyList(written) else {
      preconditionFailure("a property list written here is refused")
    }
    precondition(
      PropertyListGraph(again).binary() == written, "a property list changes when written again")
    return true
  }

  private static func tryArchive(_ bytes: [UInt8]) -> Bool {
    guard let archive = try? KeyedArchive(bytes, limits: limits) else { return false }
    for number in 0..<min(archive.count, 2000) {
      _ = try? archive.foundationValue(ofObject: number)
    }
    _ = ArchiveTextListing(ArchiveGraph(archive)).text.utf8.count
    return true
  }

  private static func tryModel(_ bytes: [UInt8]) -> Bool {
    guard let model = try? ModelArchive.decode(bytes, limits: limits) else { return false }
    tryOut(model)
    return true
  }

  /// Accesses everything that a model computes, and writes it.
  private static func tryOut(_ model: NSManagedObjectModel) {
    _ = try? model.validate()
    _ = model.entityVersionHashesByName
    _ = model.entitiesByName.values.map(\.propertiesByName.count)
    // Both times in the same form: the vintage of a damaged file is a guess that its copy may not confirm.
    let options = ModelArchiveOptions(vintage: .vintage(.modern))
    _ = try? ModelArchive.encode(model)
    guard let written = try? ModelArchive.encode(model, options: options) else { return }
    do {
      let again = try ModelArchive.decode(written)
      let twice = try ModelArchive.encode(again, options: options)
      precondition(twice == written, "a model changes when it is written again")
    } catch {
      preconditionFailure("a model written here is refused: \(error)")
    }
  }

  private static func tryOptimizedModel(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: Array("momv2$".utf8)),
      let model = try? ModelFile.model(fromBytes: bytes, limits: limits)
    else { return false }
    tryOut(model)
    return true
  }

  private static func tryMapping(_ bytes: [UInt8]) -> Bool {
    guard let mapping = try? MappingArchive.decode(bytes, limits: limits) else { return false }
    guard let written = try? MappingArchive.encode(mapping) else { return true }
    guard let again = try? MappingArchive.decode(written),
      let twice = try? MappingArchive.encode(again)
    else {
      preconditionFailure("a mapping model written here is refused")
    }
    precondition(twice == written, "a mapping model changes when it is written again")
    return true
  }

  private static func tryVersionInfo(_ bytes: [UInt8]) -> Bool {
    guard let info = try? VersionInfo(bytes) else { return false }
    let written = info.encoded()
    guard let again = try? VersionInfo(written) else {
      preconditionFailure("a VersionInfo.plist written here is refused")
    }
    precondition(again.encoded() == written, "a VersionInfo.plist changes when written again")
    return true
  }

  private static func tryModelCache(_ bytes: [UInt8]) -> Bool {
    guard let archive = try? ModelCache.decompress(bytes, limits: limits) else { return false }
    return tryModel(archive)
  }
}
