/// A file that `NSKeyedArchiver` wrote, or wrote like it: objects that refer to each other.
///
/// Opening one checks it whole: the property list, the envelope, that every reference is to an
/// object there is, and that every class is described. Reading it then makes only what is asked
/// for, follows no reference by itself, and so is not troubled by cycles:
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
  /// What `$archiver` says: `NSKeyedArchiver`.
  public let archiver: String
  /// What `$version` says: 100000.
  public let version: Int
  /// The limits the archive was opened with.
  public let limits: ArchiveLimits
  /// The property list's object for each of `$objects`.
  package let objects: [UInt32]
  /// The class that each object describes to which another refers as its class.
  private(set) var classes: [Int: ArchiveClass] = [:]
  private let topObject: Int

  /// How many objects there are, nil and class descriptions among them.
  public var count: Int { objects.count }

  /// Opens an archive, binary or XML.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - limits: What to refuse as too large or too deep.
  /// - Throws: ``ArchiveError`` when the bytes are no sound keyed archive.
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
  /// - Throws: ``ArchiveError`` when it cannot be read or is no sound keyed archive.
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

  /// The objects that were archived by name, in the file's order; mostly one, under `root`.
  public var top: [ArchiveField] {
    fields(ofDictionary: topObject)
  }

  /// The number of the object archived under a name; `nil` when there is none.
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

/// What an archive's bytes say of the program that wrote it, beside what they mean.
extension KeyedArchive {
  /// The keys of the archive's own dictionary, in the file's order.
  package var ownKeys: [String] {
    guard let (keys, _) = list.dictionary(at: list.top) else { return [] }
    return keys.map { list.string(at: $0) ?? "" }
  }

  /// Whether the name of an object's class is one string, where the class is named and where its
  /// chain begins.
  package func sharesClassName(ofObject number: Int) -> Bool {
    guard let described = classReference(ofObject: number) else { return false }
    let index = Int(objects[described])
    guard let name = list.value(forKey: "$classname", ofDictionary: index),
      let chain = list.value(forKey: "$classes", ofDictionary: index),
      let first = list.elements(at: chain)?.first
    else { return false }
    return name == first
  }

  /// Whether two objects of the archive are the same number.
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
