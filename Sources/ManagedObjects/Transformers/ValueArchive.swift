import DataModels
import Foundation
import PropertyLists

/// Values of transformable attributes as keyed archives.
enum ValueArchive {
  /// The archive of a value.
  ///
  /// - Throws: ``NSCoreDataError`` for a value that is neither one of Foundation's plain classes nor
  ///   has `NSCoding`, `ArchiveError` for one that ``value(of:allowing:)`` would refuse to read: what is
  ///   written is there to be read again.
  static func data(of value: Any, allowing classes: [AnyClass]) throws -> Data {
    if let plain = ArchiveFoundationValue(plain: value) {
      if let bytes = try bytes(of: plain) { return Data(bytes) }
      // Text is Swift's own, which archives don't know.
      if case .string(let text) = plain { return try foundationData(of: text as NSString) }
      return try foundationData(of: plain.object)
    }
    let data = try foundationData(of: value)
    let archive = try KeyedArchive([UInt8](data))
    try check(archive, allowing: classes)
    // What only Foundation reads, it reads for the sake of classes of the program's own.
    if let root = archive.topReference() { _ = try plainValue(of: archive, root, classes) }
    return data
  }

  /// The value of an object that holds Foundation's classes alone; nil for one that holds others, which are expected.
  private static func plainValue(
    of archive: KeyedArchive, _ root: Int, _ classes: [AnyClass]
  ) throws -> ArchiveFoundationValue?? {
    do {
      return .some(try archive.foundationValue(ofObject: root))
    } catch {
      guard error.code == .classNotAllowed, !classes.isEmpty else { throw error }
      return .none
    }
  }

  /// A value archived by Foundation.
  private static func foundationData(of value: Any) throws -> Data {
    guard value is any NSCoding else {
      throw CoreDataError.make(
        NSCoreDataError,
        "A transformable value of type \(type(of: value)) can't be archived: give its attribute a "
          + "transformer, or its class NSSecureCoding.")
    }
    return try NSKeyedArchiver.archivedData(
      withRootObject: value, requiringSecureCoding: value is any NSSecureCoding)
  }

  /// The archive of an object that holds others; nil for plain text and numbers.
  private static func bytes(of value: ArchiveFoundationValue) throws -> [UInt8]? {
    switch value {
    case .string, .boolean, .integer, .double, .null: return nil
    default: break
    }
    var assembler = ArchiveAssembler(keys: ArchiveKeyTable([]), style: ArchiveStyle())
    let root = try assembler.encode(
      .foundation(value), assembler.newIdentity(), asking: NoObjects())
    return assembler.finish(top: [("root", root)]).binary()
  }

  /// Foundation's values refer to nothing but each other.
  final class NoObjects: ArchiveSource {
    func encode(
      _ item: ArchiveItem, into assembler: inout ArchiveAssembler
    ) throws(ArchiveError) -> Int {
      throw ArchiveError(.invalidContent, "a value of Foundation's refers to no other object")
    }
  }

  /// The value in an archive.
  ///
  /// - Throws: `ArchiveError` for what is no sound archive, or holds other classes.
  static func value(of data: Data, allowing classes: [AnyClass]) throws -> Any? {
    let archive = try KeyedArchive([UInt8](data))
    guard let root = archive.topReference() else { return nil }
    if let value = try plainValue(of: archive, root, classes) { return value?.object }
    try check(archive, allowing: classes)
    return try foundationValue(of: data, classes)
  }

  /// Foundation ends the program for much that is wrong with an archive, so what can be known is
  /// known before it is asked: that the archive is sound, and that its classes are expected.
  private static func check(_ archive: KeyedArchive, allowing classes: [AnyClass]) throws {
    let names = Set(classes.flatMap { Self.names(of: $0) })
    for number in 0..<archive.count {
      guard let type = archive.archivedClass(ofObject: number) else { continue }
      let isPlain = plainClasses.contains { type.isKind(of: $0) }
      guard isPlain || names.contains(type.name) else {
        throw ArchiveError(.classNotAllowed, "\(type.name) is not allowed", object: number)
      }
    }
  }

  private static let plainClasses = [
    "NSString", "NSNumber", "NSDate", "NSData", "NSURL", "NSUUID", "NSArray", "NSDictionary",
    "NSSet", "NSOrderedSet", "NSNull",
  ]

  private static func names(of type: AnyClass) -> [String] {
    let full = NSStringFromClass(type)
    return [full, full.split(separator: ".").last.map(String.init) ?? full]
  }

  private static func foundationValue(of data: Data, _ classes: [AnyClass]) throws -> Any? {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = true
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    for type in classes {
      for name in names(of: type) { unarchiver.setClass(type, forClassName: name) }
    }
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
