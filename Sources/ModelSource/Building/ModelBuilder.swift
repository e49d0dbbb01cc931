import DataModels
import Foundation
import OrderedCollections

/// Builds a model from its declarations.
///
/// It builds as much as possible even if the checks report errors, and reports predicates and expressions that can't be
/// parsed, so that a single run finds all problems.
struct ModelBuilder {
  let index: DeclarationIndex
  let options: SourceReadingOptions
  var log: DiagnosticLog
  private var entities: [NSEntityDescription] = []
  /// The relationships created so far, by declaration.
  private var relationships: [ObjectIdentifier: NSRelationshipDescription] = [:]
  /// The number of composite elements created so far.
  var compositeElements = 0

  static let deepestComposite = 16
  static let mostCompositeElements = 100_000

  /// Builds a model, adding diagnostics to `log`.
  static func build(
    _ index: DeclarationIndex, options: SourceReadingOptions, log: inout DiagnosticLog
  ) -> NSManagedObjectModel {
    var builder = ModelBuilder(index: index, options: options, log: log)
    let model = builder.model()
    log = builder.log
    return model
  }

  private init(index: DeclarationIndex, options: SourceReadingOptions, log: DiagnosticLog) {
    self.index = index
    self.options = options
    self.log = log
  }

  private var declaration: ModelDeclaration { index.model }

  // MARK: The model

  private mutating func model() -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    if let identifier = declaration.versionIdentifier {
      model.versionIdentifiers = [identifier]
    }
    // Create all entities first, so that every reference can be resolved.
    entities = declaration.entities.map { entity(for: $0) }
    for number in entities.indices { fill(number) }
    linkHierarchy()
    model.setEntitiesUnchecked(entities)
    for number in entities.indices { linkRelationships(of: number) }
    addConfigurations(to: model)
    for request in declaration.fetchRequests where model.storedTemplates[request.name] == nil {
      let subject = DiagnosticSubject(request.element, entity: request.name)
      model.setFetchRequestTemplate(fetchRequest(request, subject), forName: request.name)
    }
    return model
  }

  private mutating func entity(for declaration: EntityDeclaration) -> NSEntityDescription {
    let entity = NSEntityDescription(
      name: declaration.name,
      className: declaration.className.map { moduleQualified($0, module: options.moduleName) },
      isAbstract: declaration.isAbstract)
    entity.setArchivedRenamingIdentifier(declaration.renamingIdentifier)
    if let modifier = declaration.versionHashModifier, !modifier.isEmpty {
      entity.versionHashModifier = modifier
    }
    let userInfo = userInfo(declaration.userInfo)
    if !userInfo.isEmpty { entity.orderedUserInfo = userInfo }
    if !declaration.uniquenessConstraints.isEmpty {
      entity.uniquenessConstraints = declaration.uniquenessConstraints.map(\.names)
    }
    if let text = declaration.spotlightExpression, !text.isEmpty {
      let subject = DiagnosticSubject(declaration.element, entity: declaration.name)
      entity.coreSpotlightDisplayNameExpression = expression(
        text, or: .derivedExpression, of: subject, at: "coreSpotlightDisplayNameExpression")
    }
    return entity
  }

  private mutating func fill(_ number: Int) {
    let entity = declaration.entities[number]
    var properties: [NSPropertyDescription] = []
    properties.reserveCapacity(entity.attributes.count + entity.relationships.count)
    for attribute in entity.attributes {
      properties.append(self.attribute(attribute, in: entity.name, entity: number))
    }
    for relationship in entity.relationships { properties.append(self.relationship(relationship)) }
    for fetched in entity.fetchedProperties {
      properties.append(fetchedProperty(fetched, in: entity.name))
    }
    entities[number].setOwnProperties(properties)
    addIndexes(of: entity, to: entities[number])
  }

  private func linkHierarchy() {
    var children: [Int: [NSEntityDescription]] = [:]
    for (number, parent) in index.parents.enumerated() {
      if let parent { children[parent, default: []].append(entities[number]) }
    }
    for (parent, children) in children { entities[parent].setSubentitiesUnchecked(children) }
  }

  private func addConfigurations(to model: NSManagedObjectModel) {
    for configuration in declaration.configurations {
      let members = configuration.members.compactMap { member in
        member["name"].flatMap { index.entities[$0] }.map { entities[$0] }
      }
      guard configuration.name != NSManagedObjectModel.defaultConfigurationName else { continue }
      model.setEntities(members, forConfigurationName: configuration.name)
    }
  }

  // MARK: Relationships and requests

  private mutating func relationship(
    _ declaration: RelationshipDeclaration
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription(
      name: declaration.name, flags: declaration.traits.flags, maxCount: declaration.maxCount,
      minCount: max(0, declaration.minCount), deleteRule: declaration.deleteRule)
    addCommon(declaration, to: relationship)
    relationships[ObjectIdentifier(declaration)] = relationship
    return relationship
  }

  private func linkRelationships(of number: Int) {
    for declared in declaration.entities[number].relationships {
      guard let relationship = relationships[ObjectIdentifier(declared)],
        let target = declared.destination.flatMap({ index.entities[$0] })
      else { continue }
      relationship.storedDestination = entities[target]
      guard let inverseName = declared.inverseName,
        case .relationship(let inverse)? = index.property(inverseName, of: target)
      else { continue }
      relationship.storedInverse = relationships[ObjectIdentifier(inverse)]
    }
  }

  private mutating func fetchedProperty(
    _ declaration: FetchedPropertyDeclaration, in entity: String
  ) -> NSFetchedPropertyDescription {
    let subject = DiagnosticSubject(
      declaration.element, entity: entity, property: declaration.name)
    let request = declaration.fetchRequest.map {
      fetchRequest($0, DiagnosticSubject($0.element, entity: entity, property: subject.property))
    }
    let property = NSFetchedPropertyDescription(
      name: declaration.name,
      flags: declaration.traits.flags.union([.readOnly, .transient]), fetchRequest: request)
    addCommon(declaration, to: property)
    return property
  }

  private mutating func fetchRequest(
    _ declaration: FetchRequestDeclaration, _ subject: DiagnosticSubject
  ) -> NSFetchRequest<NSFetchRequestResult> {
    let request = NSFetchRequest<NSFetchRequestResult>()
    request.entity = declaration.entity.flatMap { index.entities[$0] }.map { entities[$0] }
    request.predicate = declaration.predicate.flatMap { predicate($0, subject) }
    warnOfTransients(
      in: request.predicate, of: declaration.entity.flatMap { index.entities[$0] }, subject)
    request.fetchLimit = declaration.fetchLimit
    request.fetchBatchSize = declaration.batchSize
    request.includesSubentities = declaration.includesSubentities
    request.includesPropertyValues = declaration.includesPropertyValues
    request.includesPendingChanges = declaration.includesPendingChanges
    request.returnsObjectsAsFaults = declaration.returnsObjectsAsFaults
    request.returnsDistinctResults = declaration.returnsDistinctResults
    // Set last, because it changes the flags.
    if declaration.resultType != 0 {
      request.resultType = NSFetchRequestResultType(
        rawValue: UInt(clamping: declaration.resultType))
    }
    return request
  }
}

/// Replaces the leading dot of a class name with the module name.
///
/// Without a module, the name is returned unchanged, including the dot, as in Apple's compiler.
func moduleQualified(_ className: String, module: String?) -> String {
  guard className.hasPrefix("."), let module, !module.isEmpty else { return className }
  return module + className
}
