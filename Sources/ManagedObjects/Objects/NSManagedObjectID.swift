import DataModels
import Foundation
import Synchronization

/// The identity of a managed object: which store it is in, and which row it is there.
///
/// An object that was never saved has a temporary identity; saving it, or
/// ``NSManagedObjectContext/obtainPermanentIDs(for:)``, gives it a lasting one. Identities may be
/// passed between threads and kept, and compared with those of any context of the same coordinator.
///
/// ```swift
/// let uri = person.objectID.uriRepresentation()   // x-coredata://8D2C…/Person/p7
/// let id = coordinator.managedObjectID(forURIRepresentation: uri)
/// ```
public final class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable
{
  /// The entity of the row, or one above it.
  @_spi(Engines) public let layout: EntityLayout
  /// The store; nil for a temporary identity.
  @_spi(Engines) public let storeReference: StoreReference?
  /// The row's primary key, or the number of a temporary identity.
  @_spi(Engines) public let key: Int64
  /// The lasting identity that took a temporary one's place; few have one, and all are made and let go. Or
  /// ``takenBack``.
  private let lasting = AtomicReference<NSManagedObjectID>()
  /// The layouts of the model: a lasting identity's store keeps them.
  private let model: ModelLayout?

  /// Makes the identity of a row of a store; nil for a temporary one.
  @_spi(Engines) public init(layout: EntityLayout, store: StoreReference?, key: Int64) {
    self.layout = layout
    storeReference = store
    self.key = key
    model = store == nil ? layout.model : nil
  }

  /// A number for a temporary identity, given once.
  static func nextTemporaryKey() -> Int64 {
    temporaryCount.add(1, ordering: .relaxed).newValue
  }

  /// The lasting identity of the object that had this temporary one, once it has one: that of the object which
  /// took its place, where it lost a conflict since.
  @_spi(Engines) public var successor: NSManagedObjectID? {
    guard var last = lasting.object else { return nil }
    while let further = last.lasting.object { last = further }
    return last
  }

  /// Whether a temporary identity is that of an insertion that was taken back before it was saved.
  var isTakenBack: Bool {
    get { lasting.isClosed }
    set { lasting.isClosed = newValue }
  }

  /// Says once what took this identity's place.
  func setSuccessor(_ identity: NSManagedObjectID) {
    // An insertion that was taken back and made again may win over the one it had lost to.
    guard identity !== self, identity.successor !== self else { return }
    _ = lasting.setOnce(identity)
  }

  /// How often temporary identities, any number at once, were replaced by lasting ones.
  static var successions: Int { successionCount.load(ordering: .acquiring) }

  /// Says that temporary identities have successors now.
  static func noteSuccessions() { successionCount.add(1, ordering: .releasing) }

  private static let successionCount = Atomic<Int>(0)
  private static let temporaryCount = Atomic<Int64>(0)
  private static let process = UUID().uuidString

  /// The entity of the row itself, which may be below the one it was fetched through.
  public var entity: NSEntityDescription { layout.entity }

  /// Whether the object was never saved.
  public var isTemporaryID: Bool { storeReference == nil }

  /// The store the object is in; nil for a temporary identity, or when the store was removed.
  public var persistentStore: NSPersistentStore? { storeReference?.store }

  /// The identity as a URL, `x-coredata://STORE/Entity/p1`, that can be kept outside the program.
  /// A temporary identity's means something in this process only.
  public func uriRepresentation() -> URL {
    let name = layout.name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
    let text =
      storeReference.map { "x-coredata://\($0.identifier)/\(name)/p\(referenceText)" }
      ?? "x-coredata:///\(name)/t\(Self.process)\(key)"
    return URL(string: text) ?? URL(fileURLWithPath: "/")
  }

  /// The key, or the text of the reference object by which a store of the program's own names the row.
  private var referenceText: String {
    guard let table = storeReference?.table, let data = table.reference(of: key, layout.root) else {
      return "\(key)"
    }
    return "\(data)".addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
  }

  /// Itself: an identity never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let object else { return false }
    if let other = sameClass(object) { return isSame(as: other) }
    return (object as? NSManagedObjectID).map { isSame(as: $0) } ?? false
  }

  @inline(__always)
  func isSame(as other: NSManagedObjectID) -> Bool {
    self === other
      || key == other.key && storeReference === other.storeReference
        && layout.rootID == other.layout.rootID
  }

  public override var hash: Int {
    // Sets and dictionaries stir it well; it only has to tell rows apart.
    Int(truncatingIfNeeded: key) &* 0x9E37_79B9
      ^ Int(bitPattern: layout.rootID)
  }

  public override var description: String {
    "0x\(String(UInt(bitPattern: hash), radix: 16)) <\(uriRepresentation().absoluteString)>"
  }

  public override var debugDescription: String { description }
}
