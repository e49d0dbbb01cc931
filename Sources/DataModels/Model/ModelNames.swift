/// What the entities and properties of one model are called, and where they are, in another: what a merge found out,
/// for those who merge what models don't say.
///
/// Only what is called or placed otherwise is listed. What the other model hasn't is listed under a name that
/// nothing has (it begins with a control character), so that it is taken for nothing else.
public struct ModelNames: Sendable, Hashable {
  /// A property, by its entity's name and its own.
  public struct Property: Sendable, Hashable {
    /// The name of the entity that declares it.
    public var entity: String
    /// Its name.
    public var name: String

    /// Names a property.
    public init(_ name: String, of entity: String) {
      self.entity = entity
      self.name = name
    }
  }

  /// The other names of entities.
  public var entities: [String: String] = [:]
  /// The other places of properties; one that only goes with its entity is listed too.
  public var properties: [Property: Property] = [:]

  /// Makes the names of models in which everything is called the same.
  public init() {}

  /// Whether everything is called the same.
  public var isEmpty: Bool { entities.isEmpty && properties.isEmpty }

  /// A name as it was before it was made one that nothing has.
  public static func plain(_ name: String) -> String {
    name.first == goneMark ? String(name.dropFirst()) : name
  }

  /// A name that nothing has, for what the other model hasn't.
  public static func gone(_ name: String) -> String { "\(goneMark)\(name)" }

  private static let goneMark: Character = "\u{2}"
}

/// What the entities and properties of the three models of a merge are called in the merged one.
public struct MergedNames: Sendable, Hashable {
  /// The base's.
  public var base: ModelNames
  /// Ours.
  public var ours: ModelNames
  /// Theirs.
  public var theirs: ModelNames

  /// Makes them; without names, everything is called the same.
  public init(
    base: ModelNames = ModelNames(), ours: ModelNames = ModelNames(),
    theirs: ModelNames = ModelNames()
  ) {
    self.base = base
    self.ours = ours
    self.theirs = theirs
  }
}
