import MomKit

/// Requests for dictionaries.
extension Stack {
  func select(
    _ plan: SelectPlan, _ context: NSManagedObjectContext, _ c: Int
  ) throws -> Outcome {
    let request = NSFetchRequest<NSDictionary>(entityName: plan.entity)
    request.resultType = .dictionaryResultType
    request.includesSubentities = plan.includesSubentities
    request.predicate = try plan.condition.map { try predicate($0, c) }
    request.propertiesToFetch = plan.attributes + plan.aggregates.map { description($0, plan) }
    if plan.isGrouped { request.propertiesToGroupBy = plan.attributes }
    if let least = plan.least {
      request.havingPredicate = NSPredicate(
        format: "\(SelectPlan.rows.name) >= %@", argumentArray: [NSNumber(value: least)])
    }
    request.returnsDistinctResults = plan.isDistinct
    request.fetchLimit = plan.limit
    request.fetchOffset = plan.offset
    if plan.isInOrder {
      request.sortDescriptors = [NSSortDescriptor(key: ModelPlan.serial, ascending: true)]
    }
    return .selected(try context.fetch(request).map { try row($0, plan) })
  }

  private func description(
    _ aggregate: SelectPlan.Aggregate, _ plan: SelectPlan
  ) -> NSExpressionDescription {
    let description = NSExpressionDescription()
    description.name = aggregate.name
    description.expression = NSExpression(
      forFunction: "\(aggregate.function):",
      arguments: [NSExpression(forKeyPath: aggregate.attribute)])
    let kind = self.plan.attribute(aggregate.attribute, of: plan.entity)?.kind
    description.expressionResultType =
      switch aggregate.function {
      case .count, .sum: .integer64AttributeType
      case .min, .max: kind?.attributeType ?? .integer64AttributeType
      }
    return description
  }

  private func row(_ dictionary: NSDictionary, _ plan: SelectPlan) throws -> SelectPlan.Row {
    var row: SelectPlan.Row = [:]
    for (key, value) in dictionary {
      guard let key = key as? String else { throw Impossible("a column called \(key)") }
      let aggregate = plan.aggregates.first { $0.name == key }
      let attribute = self.plan.attribute(aggregate?.attribute ?? key, of: plan.entity)
      let isNumber =
        attribute?.name == ModelPlan.serial || aggregate?.function == .count
        || aggregate?.function == .sum
      let number = isNumber ? (value as? NSNumber)?.intValue : attribute?.kind.number(of: value)
      guard let number else { throw Impossible("\(key) is \(value), which nobody set") }
      row[key] = number
    }
    return row
  }
}
