import DataModels

extension OutlineMerge {
  /// The names in the merged model of the three models' entities and properties.
  func names() -> MergedNames {
    MergedNames(base: names(of: base), ours: names(of: ours), theirs: names(of: theirs))
  }

  private func names(of side: IdentifiedOutline) -> ModelNames {
    func entityName(_ identity: ModelPath) -> String {
      merged[identity]?.name ?? ModelNames.gone(ModelPath.plainName(identity.name))
    }
    var names = ModelNames()
    for (path, identity) in side.identities {
      switch path {
      case .entity(let name):
        let now = entityName(identity)
        if now != name { names.entities[name] = now }
      case .property(let name, let entity):
        guard let home = merged[identity]?.home ?? side[identity]?.home else { continue }
        let place = ModelNames.Property(
          merged[identity]?.name ?? ModelNames.gone(ModelPath.plainName(identity.name)),
          of: entityName(.entity(home)))
        let before = ModelNames.Property(name, of: entity)
        if place != before { names.properties[before] = place }
      case .model, .index, .fetchRequest, .configuration: continue
      }
    }
    return names
  }
}
