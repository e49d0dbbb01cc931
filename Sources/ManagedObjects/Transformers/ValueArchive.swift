import DataModels
import Foundation
import PropertyLists

/// Keyed archives of transformable values.
enum ValueArchive {
  /// The archive of a value.
  ///
  /// - Throws: ``NSCoreDataError`` for a value that is neither of a plain Foundation class nor conforms to
  ///   `NSCoding`, `ArchiveError` for one that ``value(of:allowing:)`` would reject: only decodable archives are
  ///   written.
  static func data(of value: Any, allowing classes: [AnyClass]) throws -> Data {
    if let plain = ArchiveFoundationValue(plain: value) {
      if let bytes = try bytes(of: plain) {
        let data = Data(bytes)
        if plain.mayExceedLimits { _ = try Self.value(of: data, allowing: []) }
        return data
      }
      // A Swift string, which archives don't support.
      if case .string(let text) = plain { return try foundationData(of: text as NSString) }
      return try foundationData(of: plain.object)
    }
    let data = try foundationData(of: value)
    let archive = try KeyedArchive([UInt8](data))
    try check(archive, allowing: classes)
    // Archives that only Foundation can decode must contain custom classes; others must be decodable here.
    if let root = archive.topReference() { _ = try plainValue(of: archive, root, classes) }
    return data
  }

  /// The value of an object that contains only plain Foundation classes; nil if it contains other, expected classes.
  private static func plainValue(
    of archive: KeyedArchive, _ root: Int, _ classes: [AnyClass]
  ) throws -> ArchiveFoundationValue?? {
    do {
      return .some(try archive.markedFoundationValue(ofObject: root))
    } catch {
      guard error.code == .classNotAllowed, !classes.isEmpty else { throw error }
      return .none
    }
  }

  /// A value archived by Foundation, with the names that Swift has for its classes: outside Apple's systems
  /// `NSKeyedArchiver.setClassName(_:for:)` has no effect.
  private static func foundationData(of value: Any) throws -> Data {
    guard let value = archivable(value), value is any NSCoding else {
      throw CoreDataError.make(
        NSCoreDataError,
        "A transformable value of type \(type(of: value)) can't be archived: give its attribute a "
          + "transformer, or its class NSSecureCoding.")
    }
    let archiver = NSKeyedArchiver(requiringSecureCoding: value is any NSSecureCoding)
    let names = ArchivedNames()
    archiver.delegate = names
    archiver.encode(value, forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    guard let name = names.unusable else { return archiver.encodedData }
    throw CoreDataError.make(
      NSCoreDataError,
      "An object of the class \(name) can't be archived: Foundation has names only for classes that are neither "
        + "private nor inside other types. Move the class to the top level of its file, or give the attribute a "
        + "transformer that makes the data itself.")
  }

  /// A value as Foundation archives it: a collection of Swift's as one of Foundation's. Nil for a value that is, or
  /// contains, what can't be archived.
  private static func archivable(_ value: Any) -> Any? {
    switch value {
    case is any NSCoding: return value
    case let text as String: return text as NSString
    case let list as [Any]: return archivable(each: list).map { NSArray(array: $0) }
    case let set as Set<AnyHashable>:
      return archivable(each: set.map(\.base)).map { NSSet(array: $0) }
    case let entries as [AnyHashable: Any]:
      guard let keys = archivable(each: entries.keys.map(\.base)) as? [NSObject],
        let values = archivable(each: Array(entries.values))
      else { return nil }
      return NSDictionary(objects: values, forKeys: keys)
    default: return ArchiveFoundationValue(plain: value)?.object
    }
  }

  private static func archivable(each values: [Any]) -> [Any]? {
    let objects = values.compactMap(archivable)
    return objects.count == values.count ? objects : nil
  }

  /// Watches for objects whose class has no name for Foundation, which stops the program when it is asked for one, and
  /// archives null for them.
  private final class ArchivedNames: NSObject, NSKeyedArchiverDelegate {
    private(set) var unusable: String?

    func archiver(_ archiver: NSKeyedArchiver, willEncode object: Any) -> Any? {
      guard let object = object as? NSObject, !ValueArchive.isNamed(type(of: object)) else {
        return object
      }
      unusable = unusable ?? RuntimeClasses.names(of: type(of: object)).joined(separator: ".")
      return NSNull()
    }

    // On Linux the protocol has no defaults for these.
    func archiver(_ archiver: NSKeyedArchiver, didEncode object: Any?) {}
    func archiver(_ archiver: NSKeyedArchiver, willReplace object: Any?, withObject new: Any?) {}
    func archiverWillFinish(_ archiver: NSKeyedArchiver) {}
    func archiverDidFinish(_ archiver: NSKeyedArchiver) {}
  }

  /// Whether a class is at the top level of a module, and not private.
  private static func isNamed(_ type: AnyClass) -> Bool {
    let name = String(reflecting: type)
    return !name.contains("(") && RuntimeClasses.names(of: type).count <= 2
  }

  /// The archive of a value that contains others; nil for plain strings and numbers.
  private static func bytes(of value: ArchiveFoundationValue) throws -> [UInt8]? {
    switch value {
    case .string, .boolean, .integer, .unsigned, .double, .null: return nil
    default: break
    }
    var assembler = ArchiveAssembler(keys: ArchiveKeyTable([]), style: ArchiveStyle())
    let root = try assembler.encode(
      .foundation(value), assembler.newIdentity(), asking: NoObjects())
    return assembler.finish(top: [("root", root)]).binary()
  }

  /// An empty source: Foundation's values refer only to each other.
  final class NoObjects: ArchiveSource {
    func encode(
      _ item: ArchiveItem, into assembler: inout ArchiveAssembler
    ) throws(ArchiveError) -> Int {
      throw ArchiveError(.invalidContent, "a value of Foundation's refers to no other object")
    }
  }

  /// The value in an archive.
  ///
  /// - Throws: `ArchiveError` for an archive that is malformed or contains other classes.
  static func value(of data: Data, allowing classes: [AnyClass]) throws -> Any? {
    let archive = try KeyedArchive([UInt8](data))
    guard let root = archive.topReference() else { return nil }
    if let value = try plainValue(of: archive, root, classes) { return value?.object }
    let others = try check(archive, allowing: classes)
    return try foundationValue(of: data, classes, others)
  }

  /// Checks that an archive is well formed and contains only expected classes, because Foundation traps on many
  /// malformed archives.
  ///
  /// The root, and what plain objects contain, must be of allowed classes or of subclasses. What other objects contain is
  /// for their own `init(coder:)` to decide, which names the classes; here it only has to be decodable at all.
  ///
  /// - Returns: the classes that are neither plain nor allowed themselves, by their archived names.
  @discardableResult private static func check(
    _ archive: KeyedArchive, allowing classes: [AnyClass]
  ) throws -> [String: AnyClass] {
    let names = Set(classes.flatMap { Self.names(of: $0) })
    let top = topLevelObjects(of: archive)
    var others: [String: AnyClass] = [:]
    for number in 0..<archive.count {
      guard let type = archive.archivedClass(ofObject: number), !isPlain(type),
        !names.contains(type.name)
      else { continue }
      guard let known = others[type.name] ?? secureClass(named: type.name),
        !top.contains(number) || classes.contains(where: { isKind(known, of: $0) })
      else {
        throw ArchiveError(.classNotAllowed, "\(type.name) is not allowed", object: number)
      }
      others[type.name] = known
    }
    return others
  }

  /// The numbers of the root and of all that is reached from it through plain objects alone.
  private static func topLevelObjects(of archive: KeyedArchive) -> Set<Int> {
    guard let root = archive.topReference() else { return [] }
    var (found, pending): (Set<Int>, [Int]) = ([root], [root])
    while let number = pending.popLast() {
      guard case .instance(let type, let fields) = archive.object(at: number), isPlain(type) else {
        continue
      }
      var values = fields.map(\.value)
      while let value = values.popLast() {
        switch value {
        case .reference(let target):
          if found.insert(target).inserted { pending.append(target) }
        case .array(let members), .set(let members): values += members
        case .dictionary(let fields): values += fields.map(\.value)
        default: break
        }
      }
    }
    return found
  }

  private static func isPlain(_ type: ArchiveClass) -> Bool {
    plainClasses.contains { type.isKind(of: $0) }
  }

  /// The class of an archived name, if Foundation can decode its objects: it traps for those without secure coding.
  private static func secureClass(named name: String) -> AnyClass? {
    guard let type = NSClassFromString(name),
      (type as? any NSSecureCoding.Type)?.supportsSecureCoding == true
    else { return nil }
    return type
  }

  private static func isKind(_ type: AnyClass, of base: AnyClass) -> Bool {
    var next: AnyClass? = type
    while let type = next {
      if type == base { return true }
      next = _getSuperclass(type)
    }
    return false
  }

  private static let plainClasses = [
    "NSString", "NSNumber", "NSDate", "NSData", "NSURL", "NSUUID", "NSArray", "NSDictionary",
    "NSSet", "NSOrderedSet", "NSNull",
  ]

  private static func names(of type: AnyClass) -> [String] {
    let full = RuntimeClasses.names(of: type).joined(separator: ".")
    let short = full.split(separator: ".").last.map(String.init) ?? full
    return (isNamed(type) ? [NSStringFromClass(type)] : []) + [full, short]
  }

  /// - Parameter others: classes by their archived names, of which objects are made only where an allowed class asks for
  ///   them.
  private static func foundationValue(
    of data: Data, _ classes: [AnyClass], _ others: [String: AnyClass]
  ) throws -> Any? {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = true
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    for type in classes {
      for name in names(of: type) { unarchiver.setClass(type, forClassName: name) }
    }
    for other in others { unarchiver.setClass(other.value, forClassName: other.key) }
    defer { unarchiver.finishDecoding() }
    let plain: [AnyClass] = [
      NSString.self, NSNumber.self, NSDate.self, NSData.self, NSURL.self, NSUUID.self,
      NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSNull.self,
    ]
    let value = unarchiver.decodeObject(
      of: classes + plain, forKey: NSKeyedArchiveRootObjectKey)
    if let error = unarchiver.error { throw error }
    return value
  }
}
