import DataModels

/// The lines of one property in a text listing.
struct PropertyRows {
  private let property: ModelSchema.Property

  /// The path to the property within composite attributes.
  private let path: String

  init(_ property: ModelSchema.Property, inside path: String = "") {
    self.property = property
    self.path = path
  }

  private var name: String { path + ListingText.name(property.name) }

  func list(into table: inout TextTable) {
    let optionality = TextSpan.plain(property.isOptional ? "optional" : "required")
    table.row(
      [[.keyword(kindName)], [.property(name)], type, [optionality]],
      (facts + commonFacts).separatedByGaps)
    listNotes(into: &table)
    if case .attribute(let attribute) = property.detail, let elements = attribute.elements {
      for element in elements {
        PropertyRows(element, inside: name + ".").list(into: &table)
      }
    }
  }

  private var kindName: String {
    switch property.kind {
    case .attribute: path.isEmpty ? "attribute" : "element"
    case .derivedAttribute: "derived"
    case .compositeAttribute: "composite"
    case .relationship: "relationship"
    case .fetchedProperty: "fetched"
    case .expression: "expression"
    }
  }

  private var type: [TextSpan] {
    switch property.detail {
    case .attribute(let attribute):
      return [.type(attribute.type.title)]
    case .relationship(let relationship):
      return [
        .plain(relationship.isToMany ? "->> " : "-> "),
        .entity(relationship.destination.map { ListingText.name($0) } ?? "nothing"),
      ]
    case .fetchedProperty(let fetched):
      return [
        .plain("->> "),
        .entity(fetched.fetchRequest?.entity.map { ListingText.name($0) } ?? "nothing"),
      ]
    case .expression(let expression):
      return [.type(expression.resultType.title)]
    }
  }

  /// The facts specific to the property's kind, for its line.
  private var facts: [[TextSpan]] {
    switch property.detail {
    case .attribute(let attribute): Self.facts(of: attribute)
    case .relationship(let relationship): Self.facts(of: relationship)
    case .fetchedProperty(let fetched): fetched.fetchRequest.map { RequestRows($0).facts } ?? []
    case .expression(let expression):
      [[.plain("= "), .value(ListingText.bare(expression.expression ?? "nil"))]]
    }
  }

  private static func facts(of attribute: ModelSchema.Attribute) -> [[TextSpan]] {
    var facts: [[TextSpan]] = []
    if let derivation = attribute.derivation {
      facts.append([.plain("= "), .value(ListingText.bare(derivation.expression ?? "nil"))])
      if let filter = derivation.filter {
        facts.append([.keyword("where"), .space, .value(ListingText.bare(filter))])
      }
    }
    if let value = attribute.defaultValue {
      facts.append([.keyword("default"), .space, .value(ListingText.value(value))])
    }
    if let className = attribute.valueClassName {
      facts.append([.keyword("values"), .space, .type(ListingText.name(className))])
    }
    if let transformer = attribute.valueTransformerName {
      facts.append([.keyword("transformer"), .space, .type(ListingText.name(transformer))])
    }
    if attribute.allowsExternalBinaryDataStorage { facts.append([.keyword("external storage")]) }
    if attribute.preservesValueInHistoryOnDeletion {
      facts.append([.keyword("preserved on deletion")])
    }
    if attribute.allowsCloudEncryption { facts.append([.keyword("cloud encryption")]) }
    return facts
  }

  private static func facts(of relationship: ModelSchema.Relationship) -> [[TextSpan]] {
    var facts: [[TextSpan]] = []
    if relationship.isOrdered { facts.append([.keyword("ordered")]) }
    if let inverse = relationship.inverse {
      facts.append([.keyword("inverse"), .space, .property(ListingText.name(inverse))])
    } else {
      facts.append([.keyword("no inverse")])
    }
    facts.append([.keyword("delete"), .space, .value(relationship.deleteRule.title)])
    let usualCounts = relationship.isToMany ? (0, 0) : (0, 1)
    if (relationship.minCount, relationship.maxCount) != usualCounts {
      let most = relationship.maxCount == 0 ? "any" : "\(relationship.maxCount)"
      facts.append([.keyword("count"), .space, .value("\(relationship.minCount)...\(most)")])
    }
    return facts
  }

  /// The facts common to all kinds of properties, for the property's line.
  private var commonFacts: [[TextSpan]] {
    var facts: [[TextSpan]] = []
    func add(_ isSet: Bool, _ word: String) { if isSet { facts.append([.keyword(word)]) } }
    for setting in PropertySetting.allCases {
      switch setting {
      // Has its own column.
      case .optional: break
      case .transient: add(property.isTransient, "transient")
      case .readOnly: add(property.isReadOnly && property.kind == .attribute, "read-only")
      case .indexed: add(property.isIndexed, "indexed")
      case .indexedBySpotlight: add(property.isIndexedBySpotlight, "spotlight")
      case .storedInExternalRecord: add(property.isStoredInExternalRecord, "external record")
      // Listed with attributes and relationships, or not found in any file.
      case .ordered, .allowsExternalBinaryDataStorage, .preservesValueInHistoryOnDeletion,
        .allowsCloudEncryption, .fileBackedFuture:
        break
      }
    }
    if let identifier = property.renamingIdentifier {
      facts.append([.keyword("renamed from"), .space, .value(ListingText.name(identifier))])
    }
    if let modifier = property.versionHashModifier {
      facts.append([.keyword("hash modifier"), .space, .value(ListingText.quoted(modifier))])
    }
    return facts
  }

  private func listNotes(into table: inout TextTable) {
    for rule in property.validation {
      var spans: [TextSpan] = [
        .keyword("valid if"), .space, .value(ListingText.bare(rule.predicate)),
      ]
      if let warning = rule.warning {
        spans += [.gap, .keyword("else"), .space] + WarningText.spans(warning)
      }
      table.note(spans)
    }
    for (key, value) in property.userInfo.sorted(by: { $0.key < $1.key }) {
      table.note([.keyword("user info"), .space] + UserInfoText.spans(key, value))
    }
  }
}

/// The error reported for a violated validation rule.
enum WarningText {
  static func spans(_ warning: ModelSchema.Value) -> [TextSpan] {
    guard case .integer(let code) = warning, let meaning = meanings[code] else {
      return [.value(ListingText.value(warning))]
    }
    return [.value("\(code)"), .plain(" (\(meaning))")]
  }

  /// The meanings of Core Data's validation error codes.
  private static let meanings: [Int64: String] = [
    1550: "invalid value", 1560: "several errors", 1570: "no value", 1580: "too few objects",
    1590: "too many objects", 1600: "delete denied", 1610: "too large", 1620: "too small",
    1630: "too late", 1640: "too soon", 1650: "invalid date", 1660: "too long", 1670: "too short",
    1680: "does not match",
  ]
}

extension [[TextSpan]] {
  /// All spans, with two spaces between groups.
  var separatedByGaps: [TextSpan] {
    [TextSpan](joined(separator: [TextSpan.gap]))
  }
}
