import Foundation

/// What a container needs to know to open a store.
///
/// ```swift
/// let description = NSPersistentStoreDescription(url: url)
/// description.shouldAddStoreAsynchronously = true
/// container.persistentStoreDescriptions = [description]
/// ```
open class NSPersistentStoreDescription: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: set up in one place before stores are loaded with it.

  /// Where the store is. `/dev/null` in a description without a place: a store in memory.
  open var url: URL?
  /// The kind of store. SQLite in a new description.
  open var type = NSSQLiteStoreType
  /// The name of the model's configuration whose entities the store holds; nil for all.
  open var configuration: String?
  /// Whether the store is opened while the program goes on. False in a new description.
  open var shouldAddStoreAsynchronously = false
  private var storedOptions: [String: NSObject] = [
    NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
    NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
  ]

  /// Describes a SQLite store in memory, at `/dev/null`.
  public override init() { url = URL(fileURLWithPath: "/dev/null") }

  /// Describes a SQLite store.
  public init(url: URL) { self.url = url }

  /// The options, by name.
  public final var options: [String: NSObject] { storedOptions }

  /// Sets an option; nil takes it away.
  public final func setOption(_ option: NSObject?, forKey key: String) {
    storedOptions[key] = option
  }

  /// Whether writing is refused. False in a new description.
  open var isReadOnly: Bool {
    get { StoreOptions.isOn(NSReadOnlyPersistentStoreOption, in: storedOptions) }
    set { setOption(NSNumber(value: newValue), forKey: NSReadOnlyPersistentStoreOption) }
  }

  /// How long to wait for other programs, in seconds. 240 in a new description.
  open var timeout: TimeInterval {
    get { (storedOptions[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
    set { setOption(NSNumber(value: newValue), forKey: NSPersistentStoreTimeoutOption) }
  }

  /// Whether a store of another version of the model is migrated. True in a new description.
  open var shouldMigrateStoreAutomatically: Bool {
    get { StoreOptions.isOn(NSMigratePersistentStoresAutomaticallyOption, in: storedOptions) }
    set {
      setOption(NSNumber(value: newValue), forKey: NSMigratePersistentStoresAutomaticallyOption)
    }
  }

  /// Whether a mapping is inferred when none is found. True in a new description.
  open var shouldInferMappingModelAutomatically: Bool {
    get { StoreOptions.isOn(NSInferMappingModelAutomaticallyOption, in: storedOptions) }
    set { setOption(NSNumber(value: newValue), forKey: NSInferMappingModelAutomaticallyOption) }
  }

  /// SQLite's pragmas, by name.
  public final var sqlitePragmas: [String: NSObject] {
    storedOptions[NSSQLitePragmasOption] as? NSDictionary as? [String: NSObject] ?? [:]
  }

  /// Sets one of SQLite's pragmas; nil takes it away.
  public final func setValue(_ value: NSObject?, forPragmaNamed name: String) {
    var pragmas = sqlitePragmas
    pragmas[name] = value
    setOption(NSDictionary(dictionary: pragmas), forKey: NSSQLitePragmasOption)
  }

  /// Makes a copy.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreDescription()
    (copy.url, copy.type, copy.configuration) = (url, type, configuration)
    copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
    copy.storedOptions = storedOptions
    return copy
  }
}
