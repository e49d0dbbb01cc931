import DataModels

/// A mapping model in the forms it can be shown in.
public struct MappingReport: ModelReport {
  /// What is shown.
  public let mapping: NSMappingModel

  /// Makes a report.
  public init(_ mapping: NSMappingModel) {
    self.mapping = mapping
  }

  private var entities: [NSEntityMapping] { mapping.entityMappings ?? [] }

  /// The report for people at a terminal: a line for each entity, and one for each property that
  /// isn't simply taken over.
  public func text(paint: ReportPaint) -> String {
    var text = ""
    for entity in entities {
      let from = entity.sourceEntityName ?? "nothing"
      let into = entity.destinationEntityName ?? "nothing"
      text += paint(.heading, entity.name ?? "") + ": \(from) → \(into)"
      text += paint(.note, " (\(entity.mappingType.word))") + "\n"
      for property in (entity.attributeMappings ?? []) + (entity.relationshipMappings ?? []) {
        let value = property.valueExpression.map { Self.short("\($0.description)") } ?? "default"
        text += "  \(property.name ?? ""): \(value)\n"
      }
    }
    return text
  }

  /// An expression; Core Data's way of saying "what the mapping made of these" in few words.
  private static func short(_ expression: String) -> String {
    let opening =
      "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \""
    let rest = expression.dropFirst(opening.count)
    guard expression.hasPrefix(opening), expression.hasSuffix(")"),
      let quote = rest.firstIndex(of: "\""), rest[quote...].hasPrefix("\", ")
    else { return expression }
    return "what \(rest[..<quote]) makes of \(rest[quote...].dropFirst(3).dropLast())"
  }

  /// The report for a pull request.
  public var markdown: String {
    let rows = entities.map { entity in
      "| \(Markdown.text(entity.name ?? "")) | \(entity.mappingType.word) |"
        + " \(Markdown.text(entity.sourceEntityName ?? "")) |"
        + " \(Markdown.text(entity.destinationEntityName ?? "")) |"
    }
    return (["| mapping | type | source | destination |", "|---|---|---|---|"] + rows)
      .joined(separator: "\n") + "\n"
  }

  /// The report for programs.
  public var json: JSONReport {
    .object(["entityMappings": .array(entities.map(json))])
  }

  private func json(_ entity: NSEntityMapping) -> JSONReport {
    .compact([
      "name": .optional(entity.name), "type": .text(entity.mappingType.word),
      "source": .optional(entity.sourceEntityName),
      "sourceHash": .optional(entity.sourceEntityVersionHash.map { hexadecimal($0) }),
      "destination": .optional(entity.destinationEntityName),
      "destinationHash": .optional(entity.destinationEntityVersionHash.map { hexadecimal($0) }),
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
  /// The type in a word.
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
