extension ModelSchema {
  /// An entity with its own properties, without inherited ones.
  public struct Entity: Codable, Hashable, Sendable {
    /// The entity's name.
    public var name: String

    /// The class of its objects as given in the model; `nil` for `NSManagedObject`.
    public var className: String?

    /// Whether only subentities can have objects.
    public var isAbstract: Bool

    /// The name of its superentity.
    public var superentity: String?

    /// The names of its direct subentities, sorted.
    public var subentities: [String]

    /// The entity's own properties, sorted by name.
    public var properties: [Property]

    /// The fetch indexes, sorted by name.
    public var indexes: [FetchIndex]

    /// The entity's own uniqueness constraints, each a list of attribute names, in model order.
    public var uniquenessConstraints: [[String]]

    /// The compound indexes of the older kind, each a list of property names, in model order.
    public var compoundIndexes: [[String]]

    /// The renaming identifier, if it differs from the name.
    public var renamingIdentifier: String?

    /// The version hash modifier.
    public var versionHashModifier: String?

    /// The version hash, 64 hexadecimal digits.
    public var versionHash: String?

    /// The expression for the name displayed by Spotlight, as text.
    public var coreSpotlightDisplayName: String?

    /// The user info, by key.
    public var userInfo: [String: Value]

    /// Creates an entity.
    public init(
      name: String, className: String? = nil, isAbstract: Bool = false,
      superentity: String? = nil, subentities: [String] = [], properties: [Property] = [],
      indexes: [FetchIndex] = [], uniquenessConstraints: [[String]] = [],
      compoundIndexes: [[String]] = [], renamingIdentifier: String? = nil,
      versionHashModifier: String? = nil, versionHash: String? = nil,
      coreSpotlightDisplayName: String? = nil, userInfo: [String: Value] = [:]
    ) {
      self.name = name
      self.className = className
      self.isAbstract = isAbstract
      self.superentity = superentity
      self.subentities = subentities
      self.properties = properties
      self.indexes = indexes
      self.uniquenessConstraints = uniquenessConstraints
      self.compoundIndexes = compoundIndexes
      self.renamingIdentifier = renamingIdentifier
      self.versionHashModifier = versionHashModifier
      self.versionHash = versionHash
      self.coreSpotlightDisplayName = coreSpotlightDisplayName
      self.userInfo = userInfo
    }
  }
}
