import Foundation
import Testing

@testable import PropertyLists

/// An object whose keys look like an archive's own.
final class Odd: NSObject, NSCoding {
  var value = 0
  override init() {}
  func encode(with coder: NSCoder) {
    coder.encode(5678, forKey: "$x")
  }
  init?(coder: NSCoder) { value = coder.decodeInteger(forKey: "$x") }
}

/// An object that refers to another.
final class Keeper: NSObject, NSCoding {
  let value: Any?
  init(_ value: Any) { self.value = value }
  func encode(with coder: NSCoder) { coder.encode(value, forKey: "value") }
  init?(coder: NSCoder) { value = coder.decodeObject(forKey: "value") }
}

/// Output of Foundation's archiver can be read, and Foundation can read the output.
struct FoundationAgreementTests {
  /// The same object for ``KeyedArchive``.
  private final class Twin: ArchiveCodable {
    static let archiveClass = ArchiveClass("PropertyListsTests.Odd", "NSObject")
    var values: [String: Int] = [:]
    func decode(from object: ArchiveObjectDecoder) throws {
      for key in object.keys { values[key] = try object.integer(forKey: key) }
    }
    func encode(into object: inout ArchiveObjectEncoder) {
      for (key, value) in values.sorted(by: { $0.key < $1.key }) {
        object.encode(value, forKey: key)
      }
    }
  }

  @Test func keysWithADollarAreEscaped() throws {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: Odd(), requiringSecureCoding: false)
    let twin = try ArchiveDecoder(allowing: [Twin.self]).decode(Twin.self, from: Array(data))
    #expect(twin.values == ["$x": 5678])

    let archive = try ArchiveEncoder().encode(twin)
    let reader = try NSKeyedUnarchiver(forReadingFrom: Data(archive))
    reader.requiresSecureCoding = false
    reader.setClass(Odd.self, forClassName: "PropertyListsTests.Odd")
    let odd = reader.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? Odd
    #expect(odd?.value == 5678)
  }

  /// The same object for ``KeyedArchive``.
  private final class KeeperTwin: ArchiveCodable {
    static let archiveClass = ArchiveClass("PropertyListsTests.Keeper", "NSObject")
    var value: ArchiveFoundationValue?
    func decode(from object: ArchiveObjectDecoder) throws {
      value = try object.foundationValue(forKey: "value")
    }
    func encode(into object: inout ArchiveObjectEncoder) {
      if let value { object.encode(value, forKey: "value") }
    }
  }

  @Test func orderedSetsHaveAKeyForEachMember() throws {
    let set = NSOrderedSet(array: (0..<12).map { "member \($0)" })
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: Keeper(set), requiringSecureCoding: false)
    let twin = try ArchiveDecoder(allowing: [KeeperTwin.self]).decode(
      KeeperTwin.self, from: Array(data))
    #expect(twin.value == .orderedSet((0..<12).map { .string("member \($0)") }))

    let reader = try NSKeyedUnarchiver(forReadingFrom: Data(try ArchiveEncoder().encode(twin)))
    reader.requiresSecureCoding = false
    reader.setClass(Keeper.self, forClassName: "PropertyListsTests.Keeper")
    let keeper = reader.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? Keeper
    #expect(keeper?.value as? NSOrderedSet == set)
  }
}
