import Foundation

/// The description of a store that a container opens.
///
/// ```swift
/// let description = NSPersistentStoreDescription(url: url)
/// description.shouldAddStoreAsynchronously = true
/// container.persistentStoreDescriptions = [description]
/// ```
open class NSPersistentStoreDescription: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: set up in one place before stores are loaded with it.

  /// The store's location. `/dev/null`, for a store in memory, in a description created without a URL. SQLite stores at
  /// a path below it, such as `/dev/null/Shop`, are in memory too, and those of a process at the same path are one store.
  open var url: URL?
  /// The store type. SQLite in a new description.
  open var type = NSSQLiteStoreType
  /// The name of the configuration whose entities the store contains; nil for all entities.
  open var configuration: String?
  /// Whether the store is opened asynchronously. False in a new description.
  open var shouldAddStoreAsynchronously = false
  private var storedOptions: [String: NSObject] = [
    NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
    NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
  ]

  /// Creates the description of a SQLite store in memory, at `/dev/null`.
  public override init() { url = URL(fileURLWithPath: "/dev/null") }

  /// Describes a SQLite store, or one of the engine that takes URLs of this scheme.
  public init(url: URL) {
    self.url = url
    if let known = StoreTypes.type(ofScheme: url.scheme) { type = known }
  }

  /// The options, by name.
  open var options: [String: NSObject] { storedOptions }

  /// Sets an option; nil removes it.
  open func setOption(_ option: NSObject?, forKey key: String) {
    storedOptions[key] = option
  }

  /// Whether the store is read-only. False in a new description.
  open var isReadOnly: Bool {
    get { StoreOptions.isOn(NSReadOnlyPersistentStoreOption, in: storedOptions) }
    set { setOption(NSNumber(value: newValue), forKey: NSReadOnlyPersistentStoreOption) }
  }

  /// The time to wait for other programs' locks, in seconds. 240 in a new description.
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
  open var sqlitePragmas: [String: NSObject] {
    storedOptions[NSSQLitePragmasOption] as? NSDictionary as? [String: NSObject] ?? [:]
  }

  /// Sets one of SQLite's pragmas; nil removes it.
  open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
    var pragmas = sqlitePragmas
    pragmas[name] = value
    setOption(NSDictionary(dictionary: pragmas), forKey: NSSQLitePragmasOption)
  }

  /// Returns a copy of the description.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreDescription()
    (copy.url, copy.type, copy.configuration) = (url, type, configuration)
    copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
    copy.storedOptions = storedOptions
    return copy
  }

  /// The description as it is now: a copy, unless a subclass doesn't copy itself, whose overrides would be lost.
  final func taken() -> NSPersistentStoreDescription {
    guard let made = copy(with: nil) as? NSPersistentStoreDescription,
      Swift.type(of: made) == Swift.type(of: self)
    else { return self }
    return made
  }
}
