import Foundation

/// Finds the first difference between two models.
enum ModelComparison {
  /// The first difference (`entity 'Person': isAbstract`), or `nil` when the models are equal.
  ///
  /// Entities, configurations and fetch requests are compared regardless of order; version identifiers, localization
  /// and the compiler stamp are ignored.
  static func difference(_ left: NSManagedObjectModel, _ right: NSManagedObjectModel) -> String? {
    if left === right { return nil }
    guard left.storedEntities.count == right.storedEntities.count else { return "entities" }
    let others = right.entitiesByName
    for entity in left.storedEntities {
      guard let name = entity.name, let other = others[name] else {
        return "entity '\(entity.name ?? "")' is missing"
      }
      if let setting = EntityComparison.difference(entity, other) {
        return "entity '\(name)': \(setting)"
      }
    }
    return configurationsDifference(left, right) ?? templatesDifference(left, right)
  }

  private static func configurationsDifference(
    _ left: NSManagedObjectModel, _ right: NSManagedObjectModel
  ) -> String? {
    let names = Set(left.storedConfigurations.keys)
    guard names == Set(right.storedConfigurations.keys) else { return "configurations" }
    for (name, members) in left.storedConfigurations {
      let others = right.storedConfigurations[name] ?? []
      if Set(members.map(\.name)) != Set(others.map(\.name)) { return "configuration '\(name)'" }
    }
    return nil
  }

  private static func templatesDifference(
    _ left: NSManagedObjectModel, _ right: NSManagedObjectModel
  ) -> String? {
    guard left.storedTemplates.count == right.storedTemplates.count else {
      return "fetch request templates"
    }
    for (name, request) in left.storedTemplates {
      if let setting = RequestComparison.difference(request, right.storedTemplates[name]) {
        return "fetch request template '\(name)': \(setting)"
      }
    }
    return nil
  }
}
