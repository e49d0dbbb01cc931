import DataModels
import Foundation
import PredicateFormat
import PropertyLists

/// Builds the mapping model declared by a source.
struct MappingBuilder {
  private let source: MappingSource
  private let models: (source: NSManagedObjectModel, destination: NSManagedObjectModel)
  private let names: [String]
  private(set) var diagnostics: [SourceDiagnostic] = []

  init(
    _ source: MappingSource, from sourceModel: NSManagedObjectModel,
    to destinationModel: NSManagedObjectModel
  ) {
    self.source = source
    models = (sourceModel, destinationModel)
    names = source.entityMappings.map(Self.name)
  }

  mutating func build() -> NSMappingModel {
    for (position, entity) in source.entityMappings.enumerated()
    where names[..<position].contains(names[position]) {
      report(
        .duplicateName, in: names[position], property: nil, at: entity.location,
        "there are two mappings of this name; Core Data finds one only")
    }
    let mapping = NSMappingModel()
    mapping.entityMappings = zip(source.entityMappings, names).map { entityMapping($0, name: $1) }
    return mapping
  }

  /// The specified name of a mapping, or else the one that Xcode displays.
  private static func name(_ entity: MappingSource.Entity) -> String {
    if let name = entity.name { return name }
    switch (entity.sourceEntityName, entity.destinationEntityName) {
    case (let source?, let destination?): return "\(source)To\(destination)"
    case (let source?, nil): return source
    case (nil, let destination): return destination ?? ""
    }
  }

  // MARK: Entities

  private mutating func entityMapping(
    _ declared: MappingSource.Entity, name: String
  ) -> NSEntityMapping {
    let mapping = NSEntityMapping()
    mapping.name = name
    let sourceEntity = entity(
      named: declared.sourceEntityName, in: models.source, role: "source", of: name,
      at: declared.location)
    let destination = entity(
      named: declared.destinationEntityName, in: models.destination, role: "destination", of: name,
      at: declared.location)
    if declared.sourceEntityName == nil, declared.destinationEntityName == nil {
      report(
        .missingName, in: name, property: nil, at: declared.location,
        "the mapping has neither source nor destination"
      )
    }
    mapping.mappingType = type(of: declared, name)
    mapping.sourceEntityName = declared.sourceEntityName
    mapping.sourceEntityVersionHash = sourceEntity?.versionHash
    mapping.destinationEntityName = declared.destinationEntityName
    mapping.destinationEntityVersionHash = destination?.versionHash
    mapping.entityMigrationPolicyClassName = declared.policyClassName
    if let filter = declared.filterPredicate {
      do {
        _ = try PredicateTree(parsing: filter)
      } catch {
        report(
          .predicate, in: name, property: nil, at: declared.location,
          "the filter can't be parsed: \(error)")
      }
    }
    mapping.sourceExpression = declared.sourceEntityName.map {
      DataModels.NSExpression(Self.fetch($0, declared.filterPredicate ?? "TRUEPREDICATE"))
    }
    mapping.attributeMappings = properties(
      declared.attributes, of: name, in: destination?.attributesByName.mapValues { $0 }
    ) { builder, property in
      guard property.generatesExpression, sourceEntity?.attributesByName[property.name] != nil
      else {
        return nil
      }
      return Self.sourceKey(property.name)
    }
    mapping.relationshipMappings = properties(
      declared.relationships, of: name, in: destination?.relationshipsByName.mapValues { $0 }
    ) { builder, property in
      builder.relationshipExpression(for: property, in: name, from: sourceEntity)
    }
    return mapping
  }

  private mutating func entity(
    named name: String?, in model: NSManagedObjectModel, role: String, of mapping: String,
    at location: SourceLocation?
  ) -> NSEntityDescription? {
    guard let name else { return nil }
    if let entity = model.entity(named: name) { return entity }
    report(
      .unknownDestination, in: mapping, property: nil, at: location,
      "the \(role) entity '\(name)' is not in the \(role) model"
        + suggestion(name, model.entities.compactMap(\.name)))
    return nil
  }

  private mutating func type(
    of declared: MappingSource.Entity, _ name: String
  ) -> NSEntityMappingType {
    switch declared.typeName ?? "Undefined" {
    case "Undefined": return impliedType(of: declared)
    case "Custom": return .customEntityMappingType
    case "Add": return .addEntityMappingType
    case "Remove": return .removeEntityMappingType
    case "Copy": return .copyEntityMappingType
    case "Transform": return .transformEntityMappingType
    case let other:
      report(
        .invalidValue, in: name, property: nil, at: declared.location,
        "there is no mapping of the type '\(other)'; there are Undefined, Custom, Add, Remove, Copy"
          + " and Transform")
      return .undefinedEntityMappingType
    }
  }

  /// The type of a mapping that doesn't specify one: custom if it has a policy, otherwise determined by its two
  /// entities.
  ///
  /// Core Data's migration treats a copy and a transformation alike. In the files examined, a mapping is a copy if no
  /// attribute has a custom expression, regardless of its relationships.
  private func impliedType(of declared: MappingSource.Entity) -> NSEntityMappingType {
    if declared.policyClassName != nil { return .customEntityMappingType }
    if declared.sourceEntityName == nil { return .addEntityMappingType }
    if declared.destinationEntityName == nil { return .removeEntityMappingType }
    return declared.attributes.contains { $0.valueExpression != nil }
      ? .transformEntityMappingType : .copyEntityMappingType
  }

  // MARK: Properties

  /// The mappings of one kind of properties, sorted by name, as in Apple's compiler.
  private mutating func properties(
    _ declared: [MappingSource.Property], of mapping: String,
    in destination: [String: NSPropertyDescription]?,
    expression: (inout MappingBuilder, MappingSource.Property) -> ExpressionTree?
  ) -> [NSPropertyMapping] {
    var mappings: [NSPropertyMapping] = []
    for property in declared.sorted(by: { $0.name < $1.name }) {
      if let destination, destination[property.name] == nil {
        report(
          .unknownDestination, in: mapping, property: property.name, at: property.location,
          "the destination entity has no such property"
            + suggestion(property.name, destination.keys.sorted()))
      }
      let result = NSPropertyMapping()
      result.name = property.name
      if let data = property.valueExpression {
        do {
          let expression = try MappingArchive.decodeExpression([UInt8](data))
          result.valueExpression = DataModels.NSExpression(Self.asParsed(expression.tree))
        } catch {
          report(
            .predicate, in: mapping, property: property.name, at: property.location,
            "the archived expression can't be read: \(error)")
        }
      } else {
        result.valueExpression = expression(&self, property).map { DataModels.NSExpression($0) }
      }
      mappings.append(result)
    }
    return mappings
  }

  /// The expression of a relationship: the one specified by the mapping, or else the one implied by the models.
  private mutating func relationshipExpression(
    for property: MappingSource.Property, in mapping: String,
    from sourceEntity: NSEntityDescription?
  ) -> ExpressionTree? {
    if property.sourceMappingName != nil || property.sourceKeyPath != nil {
      var objects = Self.sourceKey(property.name)
      if let path = property.sourceKeyPath {
        do {
          objects = try ExpressionTree(parsing: path)
        } catch {
          report(
            .predicate, in: mapping, property: property.name, at: property.location,
            "the key path '\(path)' can't be parsed: \(error)")
        }
      }
      guard let name = property.sourceMappingName else {
        return Self.instances(forRelationship: property.name, objects)
      }
      if !names.contains(name) {
        report(
          .unknownDestination, in: mapping, property: property.name, at: property.location,
          "there is no mapping '\(name)'" + suggestion(name, names))
      }
      return Self.instances(forMapping: name, objects)
    }
    guard property.generatesExpression,
      let relationship = sourceEntity?.relationshipsByName[property.name],
      let target = relationship.destinationEntity
    else { return nil }
    // Objects of subentities have mappings of their own.
    let candidates = zip(source.entityMappings, names).filter { declared, _ in
      declared.sourceEntityName.flatMap { models.source.entity(named: $0) }?.isKindOf(
        entity: target)
        ?? false
    }
    switch candidates.count {
    case 0: return nil
    case 1: return Self.instances(forMapping: candidates[0].1, Self.sourceKey(property.name))
    default:
      return Self.instances(forRelationship: property.name, Self.sourceKey(property.name))
    }
  }

  // MARK: Expressions

  /// The expression in parsed form: the editor archives expressions as created in code, whereas the compiler archives
  /// them as parsed.
  private static func asParsed(_ tree: ExpressionTree) -> ExpressionTree {
    switch tree {
    case .function(let function):
      .function(
        ExpressionTree.Function(
          function.selector, function.arguments.map(asParsed), on: asParsed(function.operand),
          hasMutableArguments: true))
    case .keyPath(let path):
      .keyPath(
        ExpressionTree.KeyPath(path.path, from: asParsed(path.operand), selector: path.selector))
    default: tree
    }
  }

  private static let manager = ExpressionTree.variable("manager")

  private static func sourceKey(_ name: String) -> ExpressionTree {
    .keyPath(ExpressionTree.KeyPath(name, from: .variable("source")))
  }

  private static func fetch(_ entity: String, _ predicate: String) -> ExpressionTree {
    .fetch(
      request: .function(
        ExpressionTree.Function(
          "fetchRequestForSourceEntityNamed:predicateString:",
          [.constant(.string(entity)), .constant(.string(predicate))], on: manager,
          hasMutableArguments: false)),
      context: .keyPath(ExpressionTree.KeyPath("sourceContext", from: manager)),
      countOnly: false)
  }

  private static func instances(
    forMapping name: String, _ objects: ExpressionTree
  ) -> ExpressionTree {
    call("destinationInstancesForEntityMappingNamed:sourceInstances:", named: name, with: objects)
  }

  private static func instances(
    forRelationship name: String, _ objects: ExpressionTree
  ) -> ExpressionTree {
    call(
      "destinationInstancesForSourceRelationshipNamed:sourceInstances:", named: name, with: objects)
  }

  private static func call(
    _ selector: String, named name: String, with objects: ExpressionTree
  ) -> ExpressionTree {
    .function(
      ExpressionTree.Function(
        selector, [.constant(.string(name)), objects], on: manager, hasMutableArguments: true))
  }

  // MARK: Diagnostics

  private mutating func report(
    _ rule: SourceRule, in mapping: String, property: String?, at location: SourceLocation?,
    _ message: String
  ) {
    diagnostics.append(
      SourceDiagnostic(
        rule, severity: .error, path: source.path, location: location, entity: mapping,
        property: property, message: message))
  }

  private func suggestion(_ name: String, _ candidates: [String]) -> String {
    SpellingSuggestion.nearest(to: name, among: candidates).map { " (did you mean '\($0)'?)" }
      ?? ""
  }
}
