import DataModels
import Foundation

extension SourceChecks {
  // MARK: Attributes

  mutating func checkAttributes(of number: Int) {
    let entity = model.entities[number]
    for attribute in entity.attributes {
      check(attribute, in: entity.name, entity: number)
    }
  }

  mutating func checkComposites() {
    for composite in model.composites {
      for attribute in composite.attributes {
        check(attribute, in: composite.name, entity: nil)
      }
    }
    let circular = CircularPlaces(in: model.composites.indices.map(inner)).places
    for number in model.composites.indices where circular.contains(number) {
      let composite = model.composites[number]
      log.add(
        .compositeCycle, about: DiagnosticSubject(composite.element, entity: composite.name),
        "the composite '\(composite.name)' contains itself")
    }
  }

  private mutating func check(
    _ attribute: AttributeDeclaration, in owner: String, entity: Int?
  ) {
    func subject() -> DiagnosticSubject {
      DiagnosticSubject(attribute.element, entity: owner, property: attribute.name)
    }
    if attribute.type == .undefinedAttributeType, !attribute.isTransient,
      attribute.element["attributeType"] == nil
    {
      log.add(.undefinedType, about: subject(), "the attribute has no type and isn't transient")
    }
    if let text = attribute.defaultText {
      if case .inexact(let reason) = AttributeText(text, type: attribute.type).fit {
        log.add(
          .invalidDefault, about: subject(), at: "defaultValueString", "the default value \(reason)"
        )
      }
    }
    checkBounds(of: attribute, subject)
    if let pattern = attribute.regularExpression, !pattern.isEmpty,
      (try? NSRegularExpression(pattern: pattern)) == nil
    {
      log.add(
        .regularExpression, about: subject(), at: "regularExpressionString",
        "the regular expression '\(pattern)' can't be compiled")
    }
    if attribute.type == .compositeAttributeType {
      guard let composite = attribute.composite, index.composites[composite] != nil else {
        log.add(
          .unknownComposite, about: subject(), at: "composite",
          attribute.composite.map { "the composite '\($0)' doesn't exist" }
            ?? "the composite attribute names no composite")
        return
      }
    }
  }

  // MARK: Bounds

  private mutating func checkBounds(
    of attribute: AttributeDeclaration, _ subject: () -> DiagnosticSubject
  ) {
    let minimum: Double?
    let maximum: Double?
    var value: Double?
    let type = attribute.type
    switch type.traits.kind {
    case .date:
      (minimum, maximum) = (attribute.minimumInterval, attribute.maximumInterval)
      value = attribute.defaultInterval
    case .text:
      minimum = bound(
        attribute.minimumText, of: "minValueString", as: .integer64AttributeType, at: subject)
      maximum = bound(
        attribute.maximumText, of: "maxValueString", as: .integer64AttributeType, at: subject)
      value = attribute.defaultText.map { Double($0.utf16.count) }
    case .integer, .decimal, .real:
      minimum = bound(attribute.minimumText, of: "minValueString", as: type, at: subject)
      maximum = bound(attribute.maximumText, of: "maxValueString", as: type, at: subject)
      value = attribute.defaultText.flatMap { Double($0) }
    case .undefined, .boolean, .bytes, .uuid, .url, .transformable, .objectID, .composite: return
    }
    if let minimum, let maximum, minimum > maximum {
      log.add(.crossedBounds, about: subject(), "the minimum is above the maximum")
    }
    // A default value that violates an optional attribute's validation is common, such as 0 with a minimum of 1.
    if let value, !attribute.isOptional,
      value < minimum ?? -.infinity || value > maximum ?? .infinity
    {
      log.add(
        .defaultOutOfBounds, about: subject(), at: "defaultValueString",
        "the default value is outside the attribute's bounds")
    }
  }

  private mutating func bound(
    _ text: String?, of name: String, as type: NSAttributeType, at subject: () -> DiagnosticSubject
  ) -> Double? {
    guard let text, !text.isEmpty else { return nil }
    if case .inexact(let reason) = AttributeText(text, type: type).fit {
      log.add(.invalidValue, about: subject(), at: name, "\(name): \(reason)")
    }
    return Double(text)
  }

  // MARK: Composites

  /// The composites that are elements of a composite.
  private func inner(_ composite: Int) -> [Int] {
    model.composites[composite].attributes.compactMap { attribute in
      attribute.type == .compositeAttributeType
        ? attribute.composite.flatMap { index.composites[$0] } : nil
    }
  }
}
