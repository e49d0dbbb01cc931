#if !canImport(ObjectiveC)
  import Foundation

  /// A dictionary whose keys and values are objects that may be held weakly. An entry whose key or value was
  /// deallocated is gone.
  public final class NSMapTable<KeyType, ObjectType>: NSObject {
    private let keyOptions: NSPointerFunctions.Options
    private let valueOptions: NSPointerFunctions.Options
    private var entries: [Int: [(key: TableMember, value: TableMember)]] = [:]

    /// Creates an empty table.
    public init(
      keyOptions: NSPointerFunctions.Options = [], valueOptions: NSPointerFunctions.Options = [],
      capacity: Int = 0
    ) {
      self.keyOptions = keyOptions
      self.valueOptions = valueOptions
    }

    /// Creates a table that retains keys and values.
    public static func strongToStrongObjects() -> NSMapTable<KeyType, ObjectType> { NSMapTable() }

    /// Creates a table that retains its keys only.
    public static func strongToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
      NSMapTable(valueOptions: .weakMemory)
    }

    /// Creates a table that retains its values only.
    public static func weakToStrongObjects() -> NSMapTable<KeyType, ObjectType> {
      NSMapTable(keyOptions: .weakMemory)
    }

    /// Creates a table that retains nothing.
    public static func weakToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
      NSMapTable(keyOptions: .weakMemory, valueOptions: .weakMemory)
    }

    private var present: [(key: KeyType, value: ObjectType)] {
      entries.values.joined().compactMap { entry in
        guard let key = entry.key.object as? KeyType, let value = entry.value.object as? ObjectType
        else { return nil }
        return (key, value)
      }
    }

    /// The number of entries whose objects exist.
    public var count: Int { present.count }

    /// The value of a key.
    public func object(forKey key: KeyType?) -> ObjectType? {
      guard let key = key.map({ $0 as AnyObject }) else { return nil }
      return entries[hash(of: key)]?.first { $0.key.isEqual(to: key) }?.value.object as? ObjectType
    }

    /// Sets the value of a key; nil removes it.
    public func setObject(_ object: ObjectType?, forKey key: KeyType?) {
      removeObject(forKey: key)
      guard let key, let object else { return }
      let member = TableMember(key as AnyObject, keyOptions)
      entries[member.hash, default: []].append(
        (member, TableMember(object as AnyObject, valueOptions)))
    }

    /// Removes a key.
    public func removeObject(forKey key: KeyType?) {
      guard let key = key.map({ $0 as AnyObject }) else { return }
      let hash = hash(of: key)
      entries[hash]?.removeAll {
        $0.key.object == nil || $0.value.object == nil || $0.key.isEqual(to: key)
      }
      if entries[hash]?.isEmpty ?? false { entries[hash] = nil }
    }

    /// Removes all keys.
    public func removeAllObjects() { entries = [:] }

    /// The keys, one after the other.
    public func keyEnumerator() -> NSEnumerator {
      (present.map(\.key) as NSArray).objectEnumerator()
    }

    /// The values, one after the other.
    public func objectEnumerator() -> NSEnumerator? {
      (present.map(\.value) as NSArray).objectEnumerator()
    }

    /// The entries as a dictionary, for keys that can be those of one.
    public func dictionaryRepresentation() -> [AnyHashable: ObjectType] {
      let entries = present.compactMap { key, value in
        // Foundation's strings equal Swift's in dictionaries on Apple's systems only.
        ((key as? NSString).map { $0 as String as AnyHashable } ?? key as? AnyHashable)
          .map { ($0, value) }
      }
      return Dictionary(entries) { first, _ in first }
    }

    private func hash(of key: AnyObject) -> Int {
      TableMember.hash(of: key, comparesIdentity: keyOptions.comparesIdentity)
    }
  }
#endif
