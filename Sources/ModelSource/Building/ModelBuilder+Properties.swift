import DataModels
import Foundation
import OrderedCollections
import PredicateFormat

import class DataModels.NSExpression

extension ModelBuilder {
  // MARK: Common settings

  func addCommon(
    _ declaration: Declaration<some PropertyContent>, to property: NSPropertyDescription
  ) {
    property.setArchivedRenamingIdentifier(declaration.content.traits.renamingIdentifier)
    if let modifier = declaration.content.traits.versionHashModifier {
      property.versionHashModifier = modifier
    }
    if !declaration.content.traits.userInfo.isEmpty {
      property.orderedUserInfo = userInfo(declaration.content.traits.userInfo)
    }
  }

  func userInfo(_ entries: [UserInfoEntry]) -> OrderedDictionary<AnyHashable, Any> {
    OrderedDictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
  }

  // MARK: Attributes

  mutating func attribute(
    _ declaration: AttributeDeclaration, in owner: String, entity: Int?
  ) -> NSAttributeDescription {
    attribute(declaration, in: owner, entity: entity, inside: [])
  }

  /// - Parameter composites: The composites that contain the attribute.
  private mutating func attribute(
    _ declaration: AttributeDeclaration, in owner: String, entity: Int?,
    inside composites: Set<String>
  ) -> NSAttributeDescription {
    let subject = DiagnosticSubject(
      declaration.element, entity: owner, property: declaration.name)
    let flags = declaration.traits.flags
    let attribute: NSAttributeDescription
    if declaration.isDerived {
      attribute = NSDerivedAttributeDescription(
        name: declaration.name, flags: flags.union(.readOnly), type: declaration.type,
        expression: derivation(of: declaration, entity: entity, subject))
    } else if declaration.type == .compositeAttributeType {
      attribute = NSCompositeAttributeDescription(
        name: declaration.name, flags: flags,
        elements: elements(of: declaration.composite ?? "", inside: composites))
    } else {
      attribute = NSAttributeDescription(
        name: declaration.name, flags: flags, type: declaration.type,
        defaultValue: defaultValue(of: declaration))
    }
    addCommon(declaration, to: attribute)
    if let name = declaration.valueTransformerName { attribute.valueTransformerName = name }
    if declaration.type == .transformableAttributeType, let name = declaration.customClassName {
      attribute.attributeValueClassName = moduleQualified(name, module: options.moduleName)
    }
    addValidation(of: declaration, to: attribute)
    return attribute
  }

  private func defaultValue(of declaration: AttributeDeclaration) -> AttributeValue {
    if declaration.type == .dateAttributeType {
      // The text beside the interval is informational only, in whatever time zone it was written.
      return declaration.defaultInterval.map {
        .other(AttributeValue.Box(Date(timeIntervalSinceReferenceDate: $0)))
      } ?? .none
    }
    return declaration.defaultText.map { AttributeText($0, type: declaration.type).value } ?? .none
  }

  private mutating func elements(
    of composite: String, inside composites: Set<String>
  ) -> [NSAttributeDescription] {
    guard !composites.contains(composite), let declaration = index.composite(composite) else {
      return []
    }
    // Bound nested composites: a small source can otherwise produce billions of elements.
    compositeElements += declaration.attributes.count
    guard composites.count < Self.deepestComposite, compositeElements < Self.mostCompositeElements
    else {
      log.add(
        .compositeCycle, about: DiagnosticSubject(declaration.element, entity: composite),
        "composites nested more than \(Self.deepestComposite) deep, or more than"
          + " \(Self.mostCompositeElements) elements in all, are refused")
      return []
    }
    return declaration.attributes.map {
      attribute(
        $0, in: composite, entity: nil, inside: composites.union([composite]))
    }
  }

  private mutating func derivation(
    of declaration: AttributeDeclaration, entity: Int?, _ subject: DiagnosticSubject
  ) -> NSExpression? {
    guard let text = declaration.derivationExpression, !text.isEmpty else {
      log.add(
        .derivedExpression, about: subject, "the derived attribute has no derivation expression")
      return nil
    }
    let expression = expression(
      text, or: .derivedExpression, of: subject, at: "derivationExpression")
    if let expression, let entity {
      checkKeyPaths(of: expression, entity: entity, subject)
    }
    return expression
  }

  // MARK: Validation

  private func addValidation(
    of declaration: AttributeDeclaration, to attribute: NSAttributeDescription
  ) {
    let rules = ValidationRules(declaration)
    guard !rules.predicates.isEmpty else { return }
    attribute.setValidation(rules.predicates, warnings: rules.codes)
  }
}
