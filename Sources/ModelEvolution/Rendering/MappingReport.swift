import DataModels
import PropertyLists

/// A report of a mapping model, in several formats.
public struct MappingReport: ModelReport {
  /// The mapping model to report.
  public let mapping: NSMappingModel

  /// Creates a report.
  public init(_ mapping: NSMappingModel) {
    self.mapping = mapping
  }

  private var entities: [NSEntityMapping] { mapping.entityMappings ?? [] }

  /// The report for terminals: one line per entity, and one for each property that isn't simply copied.
  public func text(paint: ReportPaint) -> String {
    var text = ""
    for entity in entities {
      let from = entity.sourceEntityName ?? "nothing"
      let into = entity.destinationEntityName ?? "nothing"
      text += paint(.heading, entity.name ?? "") + DisplayText.bare(": \(from) → \(into)")
      text += paint(.note, " (\(entity.mappingType.word))") + "\n"
      for property in (entity.attributeMappings ?? []) + (entity.relationshipMappings ?? []) {
        let value = property.valueExpression.map { Self.short("\($0.description)") } ?? "default"
        text += DisplayText.bare("  \(property.name ?? ""): \(value)") + "\n"
      }
    }
    return text
  }

  /// Abbreviates an expression; the destination instances created by a mapping have a lengthy form in Core Data.
  private static func short(_ expression: String) -> String {
    let opening =
      "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \""
    let rest = expression.dropFirst(opening.count)
    guard expression.hasPrefix(opening), expression.hasSuffix(")"),
      let quote = rest.firstIndex(of: "\""), rest[quote...].hasPrefix("\", ")
    else { return expression }
    return "what \(rest[..<quote]) makes of \(rest[quote...].dropFirst(3).dropLast())"
  }

  /// The report for pull requests.
  public var markdown: String {
    let rows = entities.map { entity in
      "| \(Markdown.text(entity.name ?? "")) | \(entity.mappingType.word) |"
        + " \(Markdown.text(entity.sourceEntityName ?? "")) |"
        + " \(Markdown.text(entity.destinationEntityName ?? "")) |"
    }
    return (["| mapping | type | source | destination |", "|---|---|---|---|"] + rows)
      .joined(separator: "\n") + "\n"
  }

  /// The machine-readable report.
  public var json: JSONReport {
    .object(["entityMappings": .array(entities.map(json))])
  }

  private func json(_ entity: NSEntityMapping) -> JSONReport {
    .compact([
      "name": .optional(entity.name), "type": .text(entity.mappingType.word),
      "source": .optional(entity.sourceEntityName),
      "sourceHash": .optional(entity.sourceEntityVersionHash.map { DisplayText.hex($0) }),
      "destination": .optional(entity.destinationEntityName),
      "destinationHash": .optional(entity.destinationEntityVersionHash.map { DisplayText.hex($0) }),
      "sourceExpression": .optional(entity.sourceExpression?.description),
      "policy": .optional(entity.entityMigrationPolicyClassName),
      "attributes": .array((entity.attributeMappings ?? []).map(json)),
      "relationships": .array((entity.relationshipMappings ?? []).map(json)),
    ])
  }

  private func json(_ property: NSPropertyMapping) -> JSONReport {
    .compact([
      "name": .optional(property.name), "value": .optional(property.valueExpression?.description),
    ])
  }
}

extension NSEntityMappingType {
  /// The type as a word.
  var word: String {
    switch self {
    case .undefinedEntityMappingType: "undefined"
    case .customEntityMappingType: "custom"
    case .addEntityMappingType: "add"
    case .removeEntityMappingType: "remove"
    case .copyEntityMappingType: "copy"
    case .transformEntityMappingType: "transform"
    }
  }
}
