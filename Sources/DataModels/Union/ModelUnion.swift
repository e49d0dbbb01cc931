import Foundation
import OrderedCollections

/// The state of a merge: the elements merged so far, and their origin.
struct ModelUnion {
  private let target: NSManagedObjectModel
  private var copies = GraphCopies(capacity: 0)
  private var taken: OrderedDictionary<String, (entity: NSEntityDescription, source: String)> = [:]
  private var nameless: [NSEntityDescription] = []
  private var templates: OrderedDictionary<String, (request: AnyFetchRequest, source: String)> = [:]
  private var models: [NSManagedObjectModel] = []

  init(into target: NSManagedObjectModel) {
    self.target = target
  }

  /// Adds the elements of a model that no earlier model had.
  mutating func add(_ model: NSManagedObjectModel, label: String) throws {
    models.append(model)
    for entity in model.storedEntities {
      guard let name = entity.name else {
        nameless.append(entity)
        _ = copies.add(entity)
        continue
      }
      if let (known, source) = taken[name] {
        if let setting = EntityComparison.difference(known, entity) {
          throw conflict(
            "two different entities", named: name, between: source, and: label, over: setting,
            entity: name)
        }
        copies.replace(entity, byCopyOf: known)
      } else {
        taken[name] = (entity, label)
        _ = copies.add(entity)
      }
    }
    for (name, request) in model.storedTemplates {
      if let (known, source) = templates[name] {
        if let setting = RequestComparison.difference(known, request) {
          throw conflict(
            "two different fetch request templates", named: name, between: source, and: label,
            over: setting, entity: nil)
        }
      } else {
        templates[name] = (request, label)
      }
    }
  }

  /// Links the copies and adds them to the target model.
  func finish() throws {
    let originals = taken.values.map(\.entity) + nameless
    target.setEntitiesUnchecked(originals.compactMap { copies.entity(for: $0) })
    for entity in originals { copies.linkProperties(of: entity) }
    for model in models {
      for entity in model.storedEntities { copies.linkSubentities(of: entity) }
      for (name, members) in model.storedConfigurations { addConfiguration(name, members) }
      target.storedVersionIdentifiers.formUnion(model.storedVersionIdentifiers)
      target.storedLocalizationDictionary = (target.storedLocalizationDictionary ?? [:])
        .merging(model.storedLocalizationDictionary ?? [:]) { first, _ in first }
    }
    if models.allSatisfy({ $0.storedLocalizationDictionary == nil }) {
      target.storedLocalizationDictionary = nil
    }
    for (name, (request, _)) in templates {
      let template = NSFetchRequest<NSFetchRequestResult>(request)
      copies.redirect(template)
      template.joinModel()
      target.storedTemplates[name] = template
    }
    let stamps = Set(models.map(\.compilerStamp))
    target.compilerStamp = stamps.count == 1 ? stamps.first ?? nil : nil
    let vintages = Set(models.map(\.compilerVintage))
    target.compilerVintage = vintages.count == 1 ? vintages.first ?? nil : nil
  }

  private func addConfiguration(_ name: String, _ members: [NSEntityDescription]) {
    var all = target.storedConfigurations[name] ?? []
    var seen = Set(all.map(ObjectIdentifier.init))
    for member in members.compactMap({ copies.entity(for: $0) })
    where seen.insert(ObjectIdentifier(member)).inserted {
      all.append(member)
    }
    target.storedConfigurations[name] = all
  }

  private func conflict(
    _ what: String, named name: String, between first: String, and second: String,
    over setting: String,
    entity: String?
  ) -> ModelError {
    ModelError(
      .mergeConflict,
      "Can't merge models with \(what) named '\(name)': \(first) and \(second) differ in"
        + " \(setting)",
      entity: entity)
  }
}
