import Foundation
import PredicateFormat

@testable import DataModels

// Short forms in which the tests write models.

func attribute(
  _ name: String, _ type: NSAttributeDescription.AttributeType = .string, optional: Bool = true
) -> NSAttributeDescription {
  let attribute = NSAttributeDescription()
  attribute.name = name
  attribute.type = type
  attribute.isOptional = optional
  return attribute
}

func relationship(
  _ name: String, to destination: NSEntityDescription? = nil, max: Int = 0, min: Int = 0
) -> NSRelationshipDescription {
  let relationship = NSRelationshipDescription()
  relationship.name = name
  relationship.destinationEntity = destination
  relationship.maxCount = max
  relationship.minCount = min
  return relationship
}

func entity(_ name: String, _ properties: [NSPropertyDescription] = []) -> NSEntityDescription {
  let entity = NSEntityDescription()
  entity.name = name
  entity.properties = properties
  return entity
}

func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
  let model = NSManagedObjectModel()
  model.entities = entities
  return model
}

func link(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
  one.inverseRelationship = other
  other.inverseRelationship = one
}

extension Data {
  var hex: String { map { String(format: "%02x", $0) }.joined() }
}

/// An expression of a key path, or of a call of a function with one, in the form `count:(pages)`.
func expression(_ text: String) -> PredicateFormat.NSExpression {
  guard let open = text.firstIndex(of: "("), text.hasSuffix(")") else {
    return PredicateFormat.NSExpression(.key(text))
  }
  let argument = text[text.index(after: open)...].dropLast()
  let arguments: [ExpressionTree] = argument.isEmpty ? [] : [.key(String(argument))]
  return PredicateFormat.NSExpression(
    .function(ExpressionTree.Function(String(text[..<open]), arguments)))
}
