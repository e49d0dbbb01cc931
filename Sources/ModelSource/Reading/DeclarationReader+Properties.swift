import DataModels

extension DeclarationReader {
  // MARK: Properties

  mutating func attribute(_ element: SourceElement, in entity: String) -> AttributeDeclaration {
    var result = AttributeContent(traits: PropertyTraits(element: element))
    let subject = beginProperty(&result.traits, in: entity)
    for attribute in element.attributes {
      if common(attribute, of: &result.traits, subject) { continue }
      switch attribute.name {
      case "attributeType": result.type = type(attribute, subject)
      case "usesScalarValueType": result.usesScalar = boolean(attribute, subject)
      case "defaultValueString": result.defaultText = attribute.value
      case "defaultDateTimeInterval": result.defaultInterval = real(attribute, subject)
      case "minValueString": result.minimumText = attribute.value
      case "maxValueString": result.maximumText = attribute.value
      case "minDateTimeInterval": result.minimumInterval = real(attribute, subject)
      case "maxDateTimeInterval": result.maximumInterval = real(attribute, subject)
      case "regularExpressionString": result.regularExpression = attribute.value
      case "valueTransformerName": result.valueTransformerName = attribute.value
      case "customClassName": result.customClassName = attribute.value
      case "composite": result.composite = attribute.value
      case "derived": result.isDerived = boolean(attribute, subject)
      case "derivationExpression": result.derivationExpression = attribute.value
      default: setting(attribute, of: &result.traits, in: .attribute, subject: subject)
      }
    }
    return AttributeDeclaration(result)
  }

  mutating func relationship(
    _ element: SourceElement, in entity: String
  ) -> RelationshipDeclaration {
    var result = RelationshipContent(traits: PropertyTraits(element: element))
    let subject = beginProperty(&result.traits, in: entity)
    var isToMany: Bool?
    for attribute in element.attributes {
      if common(attribute, of: &result.traits, subject) { continue }
      switch attribute.name {
      case "destinationEntity": result.destination = nonEmpty(attribute.value)
      case "inverseName": result.inverseName = nonEmpty(attribute.value)
      case "inverseEntity": result.inverseEntity = nonEmpty(attribute.value)
      case "minCount": result.minCount = integer(attribute, subject)
      case "maxCount": result.maxCount = integer(attribute, subject)
      case "toMany": isToMany = boolean(attribute, subject)
      case "deletionRule": result.deleteRule = deleteRule(attribute, subject)
      default: setting(attribute, of: &result.traits, in: .relationship, subject: subject)
      }
    }
    if isToMany == true, result.maxCount == 1 {
      log.add(
        .invalidValue, about: subject, at: "toMany",
        "toMany is YES but maxCount is 1; the relationship is to-one")
    }
    return RelationshipDeclaration(result)
  }

  mutating func fetchedProperty(
    _ element: SourceElement, in entity: String
  ) -> FetchedPropertyDeclaration {
    var result = FetchedPropertyContent(traits: PropertyTraits(element: element))
    let subject = beginProperty(&result.traits, in: entity)
    for attribute in element.attributes where !common(attribute, of: &result.traits, subject) {
      setting(attribute, of: &result.traits, in: .property, subject: subject)
    }
    // A fetched property is never stored, regardless of the source.
    result.traits.flags.insert(.transient)
    result.fetchRequest = element.children.first { $0.name == "fetchRequest" }
      .map { fetchRequest($0, in: entity, property: result.traits.name) }
    if result.fetchRequest == nil {
      log.add(.fetchEntity, about: subject, "the fetched property has no fetch request")
    }
    return FetchedPropertyDeclaration(result)
  }

  /// Reads the name and the user info, and reports unexpected children.
  private mutating func beginProperty(
    _ property: inout PropertyTraits, in entity: String
  ) -> DiagnosticSubject {
    let element = property.element
    property.name = name(of: element, DiagnosticSubject(element, entity: entity))
    let subject = DiagnosticSubject(element, entity: entity, property: property.name)
    for child in element.children {
      switch child.name {
      case "userInfo": property.userInfo += userInfo(child, subject)
      case "fetchRequest" where element.name == "fetchedProperty": break
      default: unknown(child, in: subject)
      }
    }
    return subject
  }

  /// Reads an attribute common to all kinds of properties; returns false for any other attribute.
  private mutating func common(
    _ attribute: SourceAttribute, of property: inout PropertyTraits,
    _ subject: DiagnosticSubject
  ) -> Bool {
    switch attribute.name {
    case "name", "syncable": break
    case "elementID": property.renamingIdentifier = nonEmpty(attribute.value)
    case "versionHashModifier": property.versionHashModifier = nonEmpty(attribute.value)
    default: return false
    }
    return true
  }

  /// Reads a Boolean setting of all properties, or of this kind of property; any other attribute is unknown.
  private mutating func setting(
    _ attribute: SourceAttribute, of property: inout PropertyTraits,
    in holder: PropertySetting.Holder, subject: DiagnosticSubject
  ) {
    guard let setting = PropertySetting.bySourceName[attribute.name],
      setting.holder == .property || setting.holder == holder
    else { return unknown(attribute, subject) }
    if boolean(attribute, subject) {
      property.flags.insert(setting.flag)
    } else {
      property.flags.remove(setting.flag)
    }
  }

  private mutating func type(
    _ attribute: SourceAttribute, _ subject: DiagnosticSubject
  ) -> NSAttributeType {
    if let type = NSAttributeType(sourceName: attribute.value) { return type }
    if attribute.value == "Undefined" { return .undefinedAttributeType }
    let suggestion = SpellingSuggestion.nearest(
      to: attribute.value, among: NSAttributeType.sourceNames)
    log.add(
      .unknownType, about: subject, at: attribute.name,
      "there is no attribute type '\(attribute.value)'" + didYouMean(suggestion))
    return .undefinedAttributeType
  }

  private mutating func deleteRule(
    _ attribute: SourceAttribute, _ subject: DiagnosticSubject
  ) -> NSDeleteRule {
    if let rule = NSDeleteRule(sourceName: attribute.value) { return rule }
    let suggestion = SpellingSuggestion.nearest(
      to: attribute.value, among: NSDeleteRule.sourceNames.map(\.name))
    log.add(
      .invalidValue, about: subject, at: attribute.name,
      "there is no delete rule '\(attribute.value)'" + didYouMean(suggestion)
        + "; it counts as Nullify")
    return .nullifyDeleteRule
  }
}

extension NSDeleteRule {
  /// The rules with their names in sources.
  static let sourceNames: [(name: String, rule: NSDeleteRule)] = [
    ("No Action", .noActionDeleteRule), ("Nullify", .nullifyDeleteRule),
    ("Cascade", .cascadeDeleteRule), ("Deny", .denyDeleteRule),
  ]

  /// Creates the rule with a name in sources.
  init?(sourceName name: String) {
    guard let found = Self.sourceNames.first(where: { $0.name == name }) else { return nil }
    self = found.rule
  }

  /// The rule's name in sources.
  var sourceName: String {
    Self.sourceNames.first { $0.rule == self }?.name ?? "Nullify"
  }
}
