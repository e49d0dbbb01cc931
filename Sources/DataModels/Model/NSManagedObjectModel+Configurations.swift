import Foundation

extension NSManagedObjectModel {
  /// The name of the configuration that contains all entities. Programs pass it where Core Data takes a configuration's
  /// name; it is never written to a file.
  public static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

  /// The names of the model's configurations, in order.
  ///
  /// The default configuration is one of them once a coordinator uses the model, as in Core Data: some programs add a store
  /// for each name.
  public final var configurations: [String] {
    let names = namedConfigurations
    guard isFrozen, !names.contains(Self.defaultConfigurationName) else { return names }
    return names + [Self.defaultConfigurationName]
  }

  /// The names of the configurations that the model defines itself, in order.
  package final var namedConfigurations: [String] { Array(storedConfigurations.keys) }

  /// The entities of a configuration.
  ///
  /// - Parameter configuration: A configuration's name; `nil` or the default configuration's name for all entities.
  /// - Returns: The entities, or `nil` when there is no such configuration.
  public final func entities(
    forConfigurationName configuration: String?
  ) -> [NSEntityDescription]? {
    guard let configuration, configuration != Self.defaultConfigurationName else {
      return storedEntities
    }
    return storedConfigurations[configuration]
  }

  /// Defines a configuration: a named set of entities to which a store can be restricted.
  ///
  /// - Parameters:
  ///   - entities: Entities of this model; an entity of another model traps.
  ///   - configuration: A name other than that of the default configuration.
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
        + " contains all entities")
    var seen = Set<ObjectIdentifier>()
    storedConfigurations[configuration] = entities.filter {
      seen.insert(ObjectIdentifier($0)).inserted
    }
  }
}
