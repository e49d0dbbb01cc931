/// A file written by `NSKeyedArchiver` or in its format: objects that refer to each other.
///
/// Opening an archive checks all of it: the property list, the envelope, that every reference leads to an existing
/// object, and that every class is described. After that, only the requested objects are decoded, and references are
/// not followed automatically, so cycles are harmless:
///
/// ```swift
/// let archive = try KeyedArchive(contentsOf: "Preferences.archive")
/// for field in archive.top {
///   print(field.key, field.value)  // root reference(1)
/// }
/// if case .instance(let type, let fields) = archive.object(at: 1) {
///   print(type, fields.map(\.key))
/// }
/// ```
///
/// To decode objects of your own classes, see ``ArchiveDecoder``; to write archives,
/// ``ArchiveEncoder``.
public struct KeyedArchive: Sendable {
  /// The property list underneath.
  public let list: BinaryPropertyList
  /// The value of `$archiver`: `NSKeyedArchiver`.
  public let archiver: String
  /// The value of `$version`: 100000.
  public let version: Int
  /// The limits the archive was opened with.
  public let limits: ArchiveLimits
  /// The property list object for each of `$objects`.
  package let objects: [UInt32]
  /// The classes described by objects that are referenced as a class, keyed by object number.
  private(set) var classes = ArchiveClassTable()
  private let topObject: Int

  /// The number of objects, including nil and class descriptions.
  public var count: Int { objects.count }

  /// Opens an archive, binary or XML.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - limits: The limits above which an archive is refused.
  /// - Throws: ``ArchiveError`` when the bytes are not a valid keyed archive.
  public init(_ bytes: [UInt8], limits: ArchiveLimits = .default) throws(ArchiveError) {
    do {
      list = try BinaryPropertyList(anyForm: bytes, limits: limits.propertyList)
    } catch {
      throw ArchiveError(error)
    }
    self.limits = limits
    guard list.marker(at: list.top) == .dictionary,
      let objects = list.value(forKey: "$objects", ofDictionary: list.top),
      let top = list.value(forKey: "$top", ofDictionary: list.top)
    else {
      throw ArchiveError(
        .notAnArchive, "not a keyed archive: the property list has no $objects and $top")
    }
    guard let archiver = list.value(forKey: "$archiver", ofDictionary: list.top),
      let archiverName = list.string(at: archiver)
    else {
      throw ArchiveError(.notAnArchive, "not a keyed archive: $archiver is missing")
    }
    guard let version = list.value(forKey: "$version", ofDictionary: list.top),
      let versionNumber = list.integer(at: version), versionNumber == 100_000
    else {
      throw ArchiveError(.notAnArchive, "a keyed archive of another version than 100000")
    }
    guard list.marker(at: objects) == .array, let elements = list.elements(at: objects) else {
      throw ArchiveError(
        .malformedArchive, "$objects is not an array", offset: list.offset(of: objects))
    }
    guard list.marker(at: top) == .dictionary else {
      throw ArchiveError(
        .malformedArchive, "$top is not a dictionary", offset: list.offset(of: top))
    }
    guard elements.count > 0, elements.count <= limits.objectCount else {
      throw ArchiveError(
        elements.isEmpty ? .malformedArchive : .limitExceeded,
        "\(elements.count) objects; at least 1 and at most \(limits.objectCount) are read")
    }
    self.archiver = archiverName
    self.version = versionNumber
    self.objects = elements.map { UInt32($0) }
    topObject = top
    try checkReferences()
    try ExpansionCheck(list, limits: limits).check(self.objects + [UInt32(top)])
    classes = try soundClasses()
  }

  /// Reads and opens a file.
  ///
  /// - Throws: ``ArchiveError`` when the file cannot be read or is not a valid keyed archive.
  public init(
    contentsOf path: String, limits: ArchiveLimits = .default
  ) throws(ArchiveError) {
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.read(path, limit: limits.byteCount)
    } catch {
      throw ArchiveError(error)
    }
    try self.init(bytes, limits: limits)
  }

  /// The top-level objects by key, in file order; usually one, under `root`.
  public var top: [ArchiveField] {
    fields(ofDictionary: topObject)
  }

  /// The number of the object archived under a key; `nil` when there is none.
  public func topReference(_ key: String = "root") -> Int? {
    list.value(forKey: key, ofDictionary: topObject).flatMap(reference)
  }

  private func checkReferences() throws(ArchiveError) {
    guard list.string(at: Int(objects[0])) == "$null" else {
      throw ArchiveError(.malformedArchive, "object 0 is not $null", object: 0)
    }
    let limit = objects.count
    try list.withScanner { scanner throws(ArchiveError) in
      for index in 0..<list.count where scanner.isUID(index) {
        guard scanner.isWideUID(index) || scanner.uid(index) >= limit else { continue }
        throw ArchiveError(
          .malformedArchive, "a reference to object \(list.uid(at: index) ?? 0) of \(limit)",
          offset: list.offset(of: index))
      }
    }
  }
}

/// Traits of an archive's bytes that identify the program that wrote it, beyond the archive's meaning.
extension KeyedArchive {
  /// The keys of the archive's top-level dictionary, in file order.
  package var ownKeys: [String] {
    guard let (keys, _) = list.dictionary(at: list.top) else { return [] }
    return keys.map { list.string(at: $0) ?? "" }
  }

  /// Whether an object's class description stores the class name as one shared string, both as the name and as the
  /// start of its chain.
  package func sharesClassName(ofObject number: Int) -> Bool {
    guard let described = classReference(ofObject: number) else { return false }
    let index = Int(objects[described])
    guard let name = list.value(forKey: "$classname", ofDictionary: index),
      let chain = list.value(forKey: "$classes", ofDictionary: index),
      let first = list.elements(at: chain)?.first
    else { return false }
    return name == first
  }

  /// Whether two objects of the archive are equal numbers.
  package var repeatsNumbers: Bool {
    var seen = Set<ArchiveValue>()
    for index in objects {
      switch list.marker(at: Int(index)) {
      case .integer, .real:
        if !seen.insert(value(at: Int(index))).inserted { return true }
      default: continue
      }
    }
    return false
  }
}
