import DataModels

extension Fact {
  /// The facts of a fetch index.
  static let indexFacts: [Fact] = FetchIndexFact.allCases.map { row in
    switch row {
    case .elements:
      Fact(
        row, references: .owner,
        read: { index in .list(index.elements.map(IndexElement.read)) },
        write: { index, value, _ in index.elements = try value.members.map(IndexElement.make) })
    case .partialPredicate:
      Fact(row, \.partialIndexPredicate, as: .predicate, references: .owner)
    case .isSynthesized: Fact(row, \.isSynthesized, as: .flag)
    }
  }
}

extension ModelElement {
  /// The index that compilers create for an attribute marked as indexed.
  static func synthesizedIndex(over property: ModelValue) -> ModelElement {
    let element: [String: ModelValue] = [
      "ascending": .flag(true), "type": IndexElement.binary, "property": property,
    ]
    return ModelElement(
      kind: .index,
      values: Fact.table(for: .index).map { fact in
        switch fact.name {
        case "elements": .list([.record(element)])
        case "synthesized": .flag(true)
        default: .none
        }
      })
  }
}

/// An element of a fetch index as a record.
private enum IndexElement {
  static let binary = ModelValue.choice(0, "Binary")

  static func read(from element: NSFetchIndexElementDescription) -> ModelValue {
    var fields: [String: ModelValue] = [
      "ascending": .flag(element.isAscending),
      "type": element.collationType == .rTree ? .choice(1, "RTree") : binary,
    ]
    if let expression = element.expressionDescription {
      fields["name"] = .text(expression.name)
      for fact in Fact.expressionPropertyFacts {
        fields[fact.name] = fact.read(expression)
      }
    } else {
      fields["property"] = .property(element.propertyName ?? "")
    }
    return .record(fields.filter { $0.value != .none })
  }

  static func make(from value: ModelValue) throws -> NSFetchIndexElementDescription {
    let fields = value.fields
    var description: NSExpressionDescription?
    if let expression = try ValueForm<DescribedExpression?>.expression.unwrap(
      fields["expression"] ?? .none)
    {
      let made = NSExpressionDescription()
      made.name = fields["name"]?.text ?? ""
      made.expression = expression
      made.expressionResultType = try NSAttributeType(
        modelValue: fields["resultType"] ?? NSAttributeType.undefinedAttributeType.modelValue)
      description = made
    }
    return NSFetchIndexElementDescription(
      propertyName: fields["property"]?.propertyName ?? fields["name"]?.text,
      expression: description,
      collationType: fields["type"]?.integer == 1 ? .rTree : .binary,
      isAscending: fields["ascending"]?.isTrue ?? true)
  }
}
