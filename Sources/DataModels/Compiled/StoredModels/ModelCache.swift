import PropertyLists

/// The form in which a store keeps a copy of its model: a keyed archive, compressed.
public enum ModelCache {
  /// Takes the contents of `Z_MODELCACHE.Z_CONTENT` apart.
  ///
  /// - Parameters:
  ///   - bytes: Raw DEFLATE, without a header.
  ///   - limits: How large the archive may be. Default: 1 GiB.
  /// - Returns: The keyed archive.
  /// - Throws: ``ModelFileError`` when the bytes are damaged, or the archive is too large.
  public static func decompress(
    _ bytes: [UInt8], limits: ArchiveLimits = .default
  ) throws(ModelFileError) -> [UInt8] {
    do {
      return try RawDeflate.inflate(bytes, limit: limits.byteCount)
    } catch {
      switch error {
      case .tooLarge, .outOfMemory:
        throw ModelFileError(
          .limitExceeded,
          "the cached model is larger than the limit of \(limits.byteCount) bytes")
      case .truncated:
        throw ModelFileError(.malformed, "the cached model ends too early")
      case .damaged:
        throw ModelFileError(.malformed, "the cached model is damaged: it is no DEFLATE stream")
      }
    }
  }

  /// Archives a model as Core Data does for the stores it makes.
  ///
  /// Other than in a compiled model each entity lists the properties it inherits too, fetch request
  /// templates are left out, and no compiler is named.
  ///
  /// - Returns: The keyed archive; ``compress(_:)`` makes a store's blob of it.
  /// - Throws: `ArchiveError` when something in the model cannot be archived.
  public static func encode(_ model: NSManagedObjectModel) throws(ArchiveError) -> [UInt8] {
    var options = ModelArchiveOptions()
    options.form = .cache
    return try ModelArchive.encode(model, options: options)
  }

  /// Compresses a model's archive for `Z_MODELCACHE.Z_CONTENT`.
  ///
  /// - Throws: ``ModelFileError`` when memory runs out.
  public static func compress(_ archive: [UInt8]) throws(ModelFileError) -> [UInt8] {
    do {
      return try RawDeflate.deflate(archive)
    } catch {
      throw ModelFileError(.limitExceeded, "there is no memory to compress the model")
    }
  }
}
