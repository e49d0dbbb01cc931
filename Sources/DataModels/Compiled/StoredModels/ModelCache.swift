import PropertyLists

/// The format in which a store keeps a copy of its model: a compressed keyed archive.
///
/// ```swift
/// let content = try ModelCache.compress(ModelCache.encode(model))
/// let archive = try ModelCache.decompress(content)
/// let copy = try ModelArchive.decode(archive)
/// ```
public enum ModelCache {
  /// Decompresses the contents of `Z_MODELCACHE.Z_CONTENT`.
  ///
  /// - Parameters:
  ///   - bytes: Raw DEFLATE, without a header.
  ///   - limits: The limits on the archive's size. Default: 1 GiB.
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
        throw ModelFileError(.malformed, "the cached model is damaged: it isn't a DEFLATE stream")
      }
    }
  }

  /// Archives a model as Core Data does for the stores it creates.
  ///
  /// Unlike in a compiled model, each entity also lists the properties it inherits, fetch request templates are
  /// omitted, and no compiler is named.
  ///
  /// - Returns: The keyed archive; ``compress(_:)`` turns it into a store's blob.
  /// - Throws: `ArchiveError` when the model can't be archived.
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
