#if !canImport(ObjectiveC)
  import Foundation

  /// A set of objects that may be held weakly: the listeners of an object that tells several, for example.
  public final class NSHashTable<ObjectType>: NSObject {
    private let options: NSPointerFunctions.Options
    private var members: [Int: [TableMember]] = [:]

    /// Creates an empty set.
    public init(options: NSPointerFunctions.Options = [], capacity: Int = 0) {
      self.options = options
    }

    /// Creates an empty set of weakly held objects.
    public static func weakObjects() -> NSHashTable<ObjectType> {
      NSHashTable<ObjectType>(options: .weakMemory)
    }

    /// The objects that exist, in no particular order.
    public var allObjects: [ObjectType] {
      members.values.joined().compactMap { $0.object as? ObjectType }
    }

    /// The number of objects that exist.
    public var count: Int { members.values.joined().count { $0.object != nil } }

    /// One of the objects.
    public var anyObject: ObjectType? { allObjects.first }

    /// The object that is equal to another.
    public func member(_ object: ObjectType?) -> ObjectType? {
      guard let object = object.map({ $0 as AnyObject }) else { return nil }
      return members[hash(of: object)]?.first { $0.isEqual(to: object) }?.object as? ObjectType
    }

    /// Whether an object is in the set.
    public func contains(_ object: ObjectType?) -> Bool { member(object) != nil }

    /// Adds an object, if none is equal to it.
    public func add(_ object: ObjectType?) {
      guard let new = object, !contains(object) else { return }
      let member = TableMember(new as AnyObject, options)
      members[member.hash, default: []].removeAll { $0.object == nil }
      members[member.hash, default: []].append(member)
    }

    /// Removes an object.
    public func remove(_ object: ObjectType?) {
      guard let object = object.map({ $0 as AnyObject }) else { return }
      let hash = hash(of: object)
      members[hash]?.removeAll { $0.object == nil || $0.isEqual(to: object) }
      if members[hash]?.isEmpty ?? false { members[hash] = nil }
    }

    /// Removes all objects.
    public func removeAllObjects() { members = [:] }

    /// The objects that exist, one after the other.
    public func objectEnumerator() -> NSEnumerator { (allObjects as NSArray).objectEnumerator() }

    private func hash(of object: AnyObject) -> Int {
      TableMember.hash(of: object, comparesIdentity: options.comparesIdentity)
    }
  }
#endif
