/// Decodes objects of your own classes, and only those, from keyed archives.
///
/// ```swift
/// let decoder = ArchiveDecoder(allowing: [Node.self])
/// let node = try decoder.decode(Node.self, from: FileBytes.read("Graph.archive"))
/// ```
///
/// The given classes are an allow-list, as in secure coding: an object of any other class ends decoding with an error,
/// unless one of the superclasses named in its archive is on the list. Instances of Foundation's plain classes are
/// decoded as values, not as objects: see ``ArchiveObjectDecoder/foundationValue(forKey:)``.
public struct ArchiveDecoder {
  /// The limits above which an archive is refused.
  public var limits: ArchiveLimits
  private let types: [String: any ArchiveDecodable.Type]

  /// Creates a decoder for the given classes.
  ///
  /// - Parameters:
  ///   - types: The classes that may be decoded, each known by the name in its `archiveClass`.
  ///   - aliases: Additional names under which archives may contain one of the classes.
  ///   - limits: The limits above which an archive is refused.
  public init(
    allowing types: [any ArchiveDecodable.Type],
    aliases: [String: any ArchiveDecodable.Type] = [:],
    limits: ArchiveLimits = .default
  ) {
    let named = types.map { ($0.archiveClass.name, $0) }
    self.types = Dictionary(named) { _, last in last }.merging(aliases) { own, _ in own }
    self.limits = limits
  }

  /// Decodes the object archived under a key.
  ///
  /// - Parameters:
  ///   - type: The expected class.
  ///   - bytes: The archive, binary or XML.
  ///   - key: The key. Default: `root`.
  /// - Throws: ``ArchiveError``, or what an object's `decode(from:)` throws.
  public func decode<Object: ArchiveDecodable>(
    _ type: Object.Type, from bytes: [UInt8], forKey key: String = "root"
  ) throws -> Object {
    try decode(type, from: KeyedArchive(bytes, limits: limits), forKey: key)
  }

  /// Decodes the object archived under a key of an archive that is already open.
  ///
  /// - Throws: ``ArchiveError``, or what an object's `decode(from:)` throws.
  public func decode<Object: ArchiveDecodable>(
    _ type: Object.Type, from archive: KeyedArchive, forKey key: String = "root"
  ) throws -> Object {
    guard let number = archive.topReference(key), number != 0 else {
      throw ArchiveError(.valueNotFound, "the archive has no object with this name", key: key)
    }
    let session = ArchiveDecodingSession(archive: archive, types: types)
    let object = try session.instance(number)
    try session.finish()
    guard let object = object as? Object else {
      throw ArchiveError(
        .typeMismatch, "expected \(Object.archiveClass.name), found \(Swift.type(of: object))",
        object: number)
    }
    return object
  }
}

/// The state of decoding one archive, including the instance created for each object.
final class ArchiveDecodingSession {
  let archive: KeyedArchive
  private let types: [String: any ArchiveDecodable.Type]
  private var instances: [Int: any ArchiveDecodable] = [:]
  /// Instances whose fields have not been read yet.
  private var waiting: [(number: Int, object: any ArchiveDecodable)] = []
  private var stringBytes = 0
  private var referenceCount = 0
  private var budget: FoundationValueBudget

  init(archive: KeyedArchive, types: [String: any ArchiveDecodable.Type]) {
    self.archive = archive
    self.types = types
    budget = FoundationValueBudget(archive)
  }

  func foundationValue(_ number: Int) throws(ArchiveError) -> ArchiveFoundationValue? {
    try archive.foundationValue(ofObject: number, &budget)
  }

  /// Counts the members of collections, since many objects may share one collection.
  func count(references: Int, on number: Int) throws(ArchiveError) {
    referenceCount += references
    guard referenceCount <= archive.limits.objectCount else {
      throw ArchiveError(
        .limitExceeded, "objects hold the same collections too many times over", object: number)
    }
  }

  /// Returns the instance for an object, creating it if necessary.
  func instance(_ number: Int) throws(ArchiveError) -> any ArchiveDecodable {
    if let known = instances[number] { return known }
    guard let archived = archive.archivedClass(ofObject: number) else {
      throw ArchiveError(.typeMismatch, "expected an instance of a class", object: number)
    }
    guard let type = archived.chain.lazy.compactMap({ self.types[$0] }).first else {
      throw ArchiveError(
        .classNotAllowed, "its class \(archived.name) is not among those that may be decoded",
        object: number)
    }
    let object = type.init()
    instances[number] = object
    waiting.append((number, object))
    return object
  }

  func finish() throws {
    while let (number, object) = waiting.popLast() {
      try object.decode(from: ArchiveObjectDecoder(session: self, number: number))
    }
  }

  func count(_ string: String) throws(ArchiveError) {
    stringBytes += string.utf8.count
    guard stringBytes <= archive.limits.stringByteCount else {
      throw ArchiveError(
        .limitExceeded, "text takes more than \(archive.limits.stringByteCount) bytes")
    }
  }
}
