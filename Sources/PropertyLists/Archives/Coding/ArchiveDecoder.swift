/// Reads objects of your own classes from keyed archives, and of no others.
///
/// The classes given are an allow-list, as secure coding has it: an object of any other class ends
/// decoding with an error, unless one of the superclasses that its archive names is on the list.
/// Foundation's plain classes are values, not objects: see
/// ``ArchiveObjectDecoder/foundationValue(forKey:)``.
public struct ArchiveDecoder {
  /// What to refuse as too large or too deep.
  public var limits: ArchiveLimits
  private let types: [String: any ArchiveDecodable.Type]

  /// Makes a decoder for some classes.
  ///
  /// - Parameters:
  ///   - types: The classes that may be decoded, under the names of their `archiveClass`.
  ///   - aliases: Further names under which archives may hold one of the classes.
  ///   - limits: What to refuse as too large or too deep.
  public init(
    allowing types: [any ArchiveDecodable.Type],
    aliases: [String: any ArchiveDecodable.Type] = [:],
    limits: ArchiveLimits = .default
  ) {
    let named = types.map { ($0.archiveClass.name, $0) }
    self.types = Dictionary(named) { _, last in last }.merging(aliases) { own, _ in own }
    self.limits = limits
  }

  /// Decodes the object archived under a name.
  ///
  /// - Parameters:
  ///   - type: The class expected.
  ///   - bytes: The archive, binary or XML.
  ///   - key: The name; `root` by default.
  /// - Throws: ``ArchiveError``, or what an object's `decode(from:)` throws.
  public func decode<Object: ArchiveDecodable>(
    _ type: Object.Type, from bytes: [UInt8], forKey key: String = "root"
  ) throws -> Object {
    try decode(type, from: KeyedArchive(bytes, limits: limits), forKey: key)
  }

  /// Decodes the object archived under a name, from an archive that is open already.
  ///
  /// - Throws: ``ArchiveError``, or what an object's `decode(from:)` throws.
  public func decode<Object: ArchiveDecodable>(
    _ type: Object.Type, from archive: KeyedArchive, forKey key: String = "root"
  ) throws -> Object {
    guard let number = archive.topReference(key), number != 0 else {
      throw ArchiveError(.valueNotFound, "the archive has no object of this name", key: key)
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

/// What lasts while one archive is decoded: which object became which instance.
final class ArchiveDecodingSession {
  let archive: KeyedArchive
  private let types: [String: any ArchiveDecodable.Type]
  private var instances: [Int: any ArchiveDecodable] = [:]
  /// Instances whose fields are yet to be read.
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

  /// Counts the members of collections, which many objects may hold.
  func count(references: Int, on number: Int) throws(ArchiveError) {
    referenceCount += references
    guard referenceCount <= archive.limits.objectCount else {
      throw ArchiveError(
        .limitExceeded, "objects hold the same collections too many times over", object: number)
    }
  }

  /// The instance of an object, made now if it was not before.
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
