import DataModels
import Foundation
import PredicateFormat
import Synchronization

/// The identity of a managed object: its store, and its row there.
///
/// An object that was never saved has a temporary ID; saving it, or
/// ``NSManagedObjectContext/obtainPermanentIDs(for:)``, assigns a permanent one. IDs can be passed between threads,
/// stored, and compared with those of any context of the same coordinator.
///
/// ```swift
/// let uri = person.objectID.uriRepresentation()   // x-coredata://8D2C…/Person/p7
/// let id = coordinator.managedObjectID(forURIRepresentation: uri)
/// ```
open class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable {
  /// The row's entity, or a superentity of it.
  @_spi(Engines) public final let layout: EntityLayout
  /// The store; nil for a temporary ID.
  @_spi(Engines) public final let storeReference: StoreReference?
  /// The row's primary key, or the number of a temporary ID.
  @_spi(Engines) public final let key: Int64
  /// The permanent ID that replaced this temporary one; closed for a cancelled insertion (see ``isCancelled``). A
  /// single word, because few IDs have a successor, but all of them are created and destroyed.
  private final let permanent = AtomicReference<NSManagedObjectID>()
  /// The model's layouts; a permanent ID's store keeps these alive.
  private final let model: ModelLayout?

  /// Creates the ID of a row in a store; a temporary one if `store` is nil.
  @_spi(Engines) public init(layout: EntityLayout, store: StoreReference?, key: Int64) {
    self.layout = layout
    storeReference = store
    self.key = key
    model = store == nil ? layout.model : nil
  }

  /// Creates the ID of no object, for test doubles: a temporary one, of an entity without a name.
  public override convenience init() {
    self.init(layout: .ofNothing, store: nil, key: Self.nextTemporaryKey())
  }

  /// A unique number for a temporary ID.
  static func nextTemporaryKey() -> Int64 {
    temporaryCount.add(1, ordering: .relaxed).newValue
  }

  /// The permanent ID of the object that had this temporary one, if it has one; or, if that object has lost a
  /// conflict since, the ID of the surviving object.
  @_spi(Engines) public final var successor: NSManagedObjectID? {
    guard var last = permanent.object else { return nil }
    while let further = last.permanent.object { last = further }
    return last
  }

  /// Whether a temporary ID belongs to an insertion that was cancelled before a save.
  final var isCancelled: Bool {
    get { permanent.isClosed }
    set { permanent.isClosed = newValue }
  }

  /// Sets the ID that replaces this one. Only the first call has an effect.
  final func setSuccessor(_ identity: NSManagedObjectID) {
    // A cancelled insertion that was made again may win over the object it had lost to.
    guard identity !== self, identity.successor !== self else { return }
    _ = permanent.setOnce(identity)
  }

  /// Incremented whenever temporary IDs, any number at once, are replaced by permanent ones.
  static var successions: Int { successionCount.load(ordering: .acquiring) }

  /// Records that temporary IDs have been replaced.
  static func noteSuccessions() { successionCount.add(1, ordering: .releasing) }

  private static let successionCount = Atomic<Int>(0)
  private static let temporaryCount = Atomic<Int64>(0)
  private static let process = UUID().uuidString

  /// The row's own entity, which may be a subentity of the one it was fetched with.
  open var entity: NSEntityDescription { layout.entity }

  /// Whether the object was never saved.
  open var isTemporaryID: Bool { isTemporary }

  /// The same, whatever a subclass says.
  @_spi(Engines) public final var isTemporary: Bool { storeReference == nil }

  /// The object's store; nil for a temporary ID, or if the store was removed.
  open var persistentStore: NSPersistentStore? { storeReference?.store }

  /// The ID as a URL, `x-coredata://STORE/Entity/p1`, that can be stored outside the program. A temporary ID's URL is
  /// valid in this process only.
  open func uriRepresentation() -> URL {
    let name = layout.name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
    let text =
      storeReference.map { "x-coredata://\($0.identifier)/\(name)/p\(referenceText)" }
      ?? "x-coredata:///\(name)/t\(Self.process)\(key)"
    return URL(string: text) ?? URL(fileURLWithPath: "/")
  }

  /// The key, or the text of the reference object by which a client-defined store identifies the row.
  private final var referenceText: String {
    guard let table = storeReference?.table, let data = table.reference(of: key, layout.root) else {
      return "\(key)"
    }
    return "\(data)".addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
  }

  /// Returns the ID itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let object else { return false }
    if let other = sameClass(object) { return isSame(as: other) }
    return (object as? NSManagedObjectID).map { isSame(as: $0) } ?? false
  }

  @inline(__always)
  final func isSame(as other: NSManagedObjectID) -> Bool {
    self === other
      || key == other.key && storeReference === other.storeReference
        && layout.rootID == other.layout.rootID
  }

  open override var hash: Int {
    // Sets and dictionaries mix the hash well; it only has to distinguish rows.
    Int(truncatingIfNeeded: key) &* 0x9E37_79B9
      ^ Int(bitPattern: layout.rootID)
  }

  open override var description: String {
    "0x\(String(UInt(bitPattern: hash), radix: 16)) <\(uriRepresentation().absoluteString)>"
  }

  open override var debugDescription: String { description }
}

/// The keys of an object ID in key paths and predicates, such as `objectID.entity.name`.
extension NSManagedObjectID: KeyValueReadable {
  /// The value of a key that Core Data's object IDs have.
  ///
  /// - Throws: `PredicateFormatError/undefinedKey(_:of:)` for any other key.
  public final func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "self": .object(OpaqueObject(self))
    case "entity": .object(OpaqueObject(entity))
    case "isTemporaryID", "temporaryID": .bool(isTemporaryID)
    case "URIRepresentation", "uriRepresentation": .url(uriRepresentation())
    default: throw .undefinedKey(key, of: self)
    }
  }
}
