import DataModels
import Foundation
import PredicateFormat

extension ModelElements {
  // MARK: Attributes

  mutating func attribute(
    _ attribute: NSAttributeDescription, owner: String, isMarkedIndexed: Bool
  ) -> SourceElement {
    let name = "\(owner).\(attribute.name)"
    let derived = attribute as? NSDerivedAttributeDescription
    let rules = ValidationRules(attribute)
    if rules.unknownCount > 0 {
      noteLoss(of: "\(rules.unknownCount) validation predicates of '\(name)'")
    }
    if rules.unknownWarningCount > 0 {
      noteLoss(of: "\(rules.unknownWarningCount) validation messages of '\(name)'")
    }
    var element = begin("attribute", attribute)
    element["attributeType"] = attribute.storedType.sourceName
    element["valueTransformerName"] = attribute.valueTransformerName
    if attribute.storedType == .transformableAttributeType {
      element["customClassName"] = attribute.attributeValueClassName
    } else if attribute.attributeValueClassName != attribute.storedType.standardValueClassName {
      noteLoss(of: "the value class of '\(name)', which isn't that of its type")
    }
    if let composite = attribute as? NSCompositeAttributeDescription {
      if composite.hasListableElements {
        element["composite"] = compositeName(composite, owner: owner)
      } else {
        noteLoss(of: "the elements of '\(name)', which have no end or are nested too deep")
      }
    }
    if let derived {
      element["derived"] = "YES"
      element["derivationExpression"] =
        derived.derivationExpression.map { PredicateSyntax.derivationText($0) }
      if derived.filteringPredicate != nil { noteLoss(of: "the filter of the derived '\(name)'") }
    }
    element["minDateTimeInterval"] = rules.minimumInterval.map(AttributeText.text(ofInterval:))
    element["maxDateTimeInterval"] = rules.maximumInterval.map(AttributeText.text(ofInterval:))
    element["minValueString"] = rules.minimum
    element["maxValueString"] = rules.maximum
    setDefault(of: attribute, &element, name)
    element["regularExpressionString"] = rules.regularExpression
    element["usesScalarValueType"] = usesScalar(attribute.storedType)
    let unmarked: PropertyFlags = isMarkedIndexed ? [] : .indexed
    finish(
      attribute, settings: attribute.flags.subtracting(unmarked), of: .attribute, owner: owner,
      &element)
    return element
  }

  private mutating func setDefault(
    of attribute: NSAttributeDescription, _ element: inout SourceElement, _ name: String
  ) {
    var value = attribute.storedDefault
    guard !value.isNone else { return }
    if attribute.storedType == .floatAttributeType {
      // As a Double, it would have digits that a Float doesn't tell apart.
      value = value.normalized(for: .floatAttributeType) ?? value
    }
    if attribute.storedType == .dateAttributeType {
      if let interval = (value.any as? Date)?.timeIntervalSinceReferenceDate, interval.isFinite {
        element["defaultDateTimeInterval"] = AttributeText.text(ofInterval: interval)
        return
      }
    } else if let text = AttributeText.text(of: value, type: attribute.storedType) {
      element["defaultValueString"] = text
      return
    }
    noteLoss(of: "the default value of '\(name)', which has no text")
  }

  /// By default, Xcode uses scalars for numbers, and objects for dates and UUIDs.
  private func usesScalar(_ type: NSAttributeType) -> String? {
    type.traits.prefersScalar.map { $0 ? "YES" : "NO" }
  }

  // MARK: Composites

  /// The name of the composite with an attribute's elements, created if there is none yet: that of the source that the
  /// model was read from or, since a model keeps the elements but not that name, one after the attribute.
  private mutating func compositeName(
    _ composite: NSCompositeAttributeDescription, owner: String
  ) -> String {
    let sourceName = sourceNames.name(for: composite.name, of: outerComposite ?? .entity(owner))
    let outer = outerComposite
    outerComposite = .composite(sourceName ?? "")
    let children = composite.elements.map {
      attribute($0, owner: "\(owner).\(composite.name)", isMarkedIndexed: false)
    }
    outerComposite = outer
    func isFree(_ name: String) -> Bool { composites[name].map { $0.children == children } ?? true }
    if let sourceName, isFree(sourceName) { return add(sourceName, children) }
    if let known = compositeNames[children] { return known }
    if let known = knownComposites[children], isFree(known) { return add(known, children) }
    let base = composite.name.prefix(1).uppercased() + composite.name.dropFirst()
    var name = base
    var number = 2
    while composites[name] != nil || sourceNames.taken.contains(name) {
      name = "\(base)\(number)"
      number += 1
    }
    return add(name, children)
  }

  private mutating func add(_ name: String, _ children: [SourceElement]) -> String {
    composites[name] = SourceElement(
      "composite", [SourceAttribute("name", name)], children: children)
    if compositeNames[children] == nil { compositeNames[children] = name }
    return name
  }

  // MARK: Relationships and fetched properties

  mutating func relationship(_ relationship: NSRelationshipDescription) -> SourceElement {
    var element = begin("relationship", relationship)
    set("toMany", to: relationship.isToMany, on: &element)
    if relationship.minCount != 0 { element["minCount"] = "\(relationship.minCount)" }
    if relationship.maxCount != 0 { element["maxCount"] = "\(relationship.maxCount)" }
    element["deletionRule"] = relationship.deleteRule.sourceName
    let destination = relationship.destinationEntityName
    element["destinationEntity"] = destination
    if let inverse = relationship.inverseRelationshipName {
      element["inverseName"] = inverse
      element["inverseEntity"] = destination
    }
    finish(
      relationship, settings: relationship.flags, of: .relationship,
      owner: relationship.owningEntity?.name ?? "", &element)
    return element
  }

  mutating func fetchedProperty(
    _ property: NSFetchedPropertyDescription, owner: String
  ) -> SourceElement {
    var element = SourceElement("fetchedProperty", [SourceAttribute("name", property.name)])
    set("optional", to: property.isOptional, on: &element)
    if let request = property.fetchRequest {
      element.children.append(
        fetchRequest(
          request, name: "fetchedPropertyFetchRequest", owner: "\(owner).\(property.name)"))
    }
    finish(property, settings: [], of: .property, owner: owner, &element)
    return element
  }

  // MARK: Common settings

  private func begin(_ kind: String, _ property: NSPropertyDescription) -> SourceElement {
    var element = SourceElement(kind, [SourceAttribute("name", property.name)])
    set("optional", to: property.isOptional, on: &element)
    set("transient", to: property.isTransient, on: &element)
    return element
  }

  private mutating func finish(
    _ property: NSPropertyDescription, settings: PropertyFlags, of holder: PropertySetting.Holder,
    owner: String, _ element: inout SourceElement
  ) {
    let rest = settings.subtracting([.optional, .transient])
    for setting in PropertySetting.rows
    where rest.contains(setting.flag) && (setting.holder == .property || setting.holder == holder) {
      guard let name = setting.sourceName else { continue }
      XcodeOrder.insert(SourceAttribute(name, "YES"), into: &element)
    }
    element["elementID"] = renamingIdentifier(
      property.explicitRenamingIdentifier, property.name)
    element["versionHashModifier"] = property.versionHashModifier
    element.children += userInfo(
      property.orderedUserInfo.map { ($0.key, $0.value) }, owner: "\(owner).\(property.name)")
  }

  func set(_ attribute: String, to isOn: Bool, on element: inout SourceElement) {
    if isOn { element[attribute] = "YES" }
  }
}
