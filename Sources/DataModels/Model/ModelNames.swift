/// The names and locations in another model of one model's entities and properties, as determined by a merge. Used to
/// merge information that models don't contain.
///
/// Only entities and properties whose name or location differs are listed. Those missing from the other model have a
/// name that can't occur (it begins with a control character), so that they aren't mistaken for others.
public struct ModelNames: Sendable, Hashable {
  /// A property, identified by its entity's name and its own.
  public struct Property: Sendable, Hashable {
    /// The name of the entity that declares it.
    public var entity: String
    /// The property's name.
    public var name: String

    /// Creates a reference to a property.
    public init(_ name: String, of entity: String) {
      self.entity = entity
      self.name = name
    }
  }

  /// The new names of renamed entities.
  public var entities: [String: String] = [:]
  /// The new locations of properties, including those that only follow their renamed entity.
  public var properties: [Property: Property] = [:]

  /// Creates the mapping of two models in which all names are the same.
  public init() {}

  /// Whether all names are the same.
  public var isEmpty: Bool { entities.isEmpty && properties.isEmpty }

  /// Returns the original name for one created by ``gone(_:)``.
  public static func plain(_ name: String) -> String {
    name.first == goneMark ? String(name.dropFirst()) : name
  }

  /// Returns a name that can't occur, for something that the other model doesn't have.
  public static func gone(_ name: String) -> String { "\(goneMark)\(name)" }

  private static let goneMark: Character = "\u{2}"
}

/// The names in the merged model of the entities and properties of the three models of a merge.
public struct MergedNames: Sendable, Hashable {
  /// The names of the base's entities and properties.
  public var base: ModelNames
  /// The names of our entities and properties.
  public var ours: ModelNames
  /// The names of their entities and properties.
  public var theirs: ModelNames

  /// Creates the mappings; by default all names are the same.
  public init(
    base: ModelNames = ModelNames(), ours: ModelNames = ModelNames(),
    theirs: ModelNames = ModelNames()
  ) {
    self.base = base
    self.ours = ours
    self.theirs = theirs
  }
}
