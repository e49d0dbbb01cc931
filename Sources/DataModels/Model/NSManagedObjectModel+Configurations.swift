import Foundation

extension NSManagedObjectModel {
  /// The name that stands for the configuration of all entities. Programs pass it where Core Data
  /// takes a configuration's name; it is never written into a file.
  public static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

  /// The names of the model's configurations, in their order; the default one isn't among them.
  public final var configurations: [String] { Array(storedConfigurations.keys) }

  /// The entities of a configuration.
  ///
  /// - Parameter configuration: A name; `nil` or the default configuration's for all entities.
  /// - Returns: The entities, or `nil` when there is no such configuration.
  public final func entities(
    forConfigurationName configuration: String?
  ) -> [NSEntityDescription]? {
    guard let configuration, configuration != Self.defaultConfigurationName else {
      return storedEntities
    }
    return storedConfigurations[configuration]
  }

  /// Defines a configuration: a set of entities under a name, so that a store may hold these only.
  ///
  /// - Parameters:
  ///   - entities: Entities of this model; one of another traps.
  ///   - configuration: A name other than the default configuration's.
  public final func setEntities(
    _ entities: [NSEntityDescription], forConfigurationName configuration: String
  ) {
    willChange("setEntities:forConfiguration:")
    for entity in entities {
      Misuse.require(
        entity.model === self,
        "-[NSManagedObjectModel setEntities:forConfiguration:]: the entity"
          + " '\(entity.name ?? "")' isn't in the model")
    }
    Misuse.require(
      configuration != Self.defaultConfigurationName,
      "-[NSManagedObjectModel setEntities:forConfiguration:]: the default configuration always"
        + " holds all entities")
    var seen = Set<ObjectIdentifier>()
    storedConfigurations[configuration] = entities.filter {
      seen.insert(ObjectIdentifier($0)).inserted
    }
  }
}
