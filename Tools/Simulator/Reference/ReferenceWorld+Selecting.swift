/// Requests for dictionaries: these return what is saved, regardless of the context's changes.
extension ReferenceWorld {
  mutating func select(_ c: Int, _ plan: SelectPlan) throws -> Expectation {
    guard contexts[c].plan.parent == nil else {
      throw Undecided(impossible: "a child's dictionaries")
    }
    guard contexts[c].generation == .newest else { throw Undecided("a pinned context") }
    guard model.entity(plan.entity) != nil, !plan.attributes.isEmpty || !plan.aggregates.isEmpty
    else { throw Undecided(impossible: "no such request") }
    guard plan.condition?.constants.allSatisfy({ store.rows[$0] != nil }) ?? true else {
      throw Undecided(impossible: "a constant without a row")
    }
    try requireConstants(plan.condition, c)
    var fetch = FetchPlan(entity: plan.entity, includesSubentities: plan.includesSubentities)
    let all = matching(fetch, in: .store, store.rows.keys.sorted())
    fetch.condition = plan.condition.map { withExtremes($0, among: all, in: .store) }
    let names = matching(fetch, in: .store, all).sorted {
      store.rows[$0]?.attributes[ModelPlan.serial] ?? 0
        < store.rows[$1]?.attributes[ModelPlan.serial] ?? 0
    }
    let rows = names.compactMap { store.rows[$0]?.attributes }
    return .selects(selected(rows, plan), isOrdered: plan.isInOrder)
  }

  private func selected(_ rows: [[String: Int]], _ plan: SelectPlan) -> [SelectPlan.Row] {
    guard plan.isGrouped || !plan.aggregates.isEmpty else {
      let found = rows.map { row in row.filter { plan.attributes.contains($0.key) } }
      guard !plan.isDistinct else { return Self.unique(found) }
      let rest = found.dropFirst(plan.offset)
      return Array(plan.limit > 0 ? rest.prefix(plan.limit) : rest)
    }
    // Without groups all rows form one group, even if there are none.
    let keys = plan.isGrouped ? plan.attributes : []
    let groups = Dictionary(grouping: rows) { row in keys.map { row[$0] } }
    let parts = plan.isGrouped ? Array(groups.values) : [rows]
    let made = parts.filter { $0.count >= plan.least ?? 0 }.map { group in
      var row = (group.first ?? [:]).filter { keys.contains($0.key) }
      for aggregate in plan.aggregates { row[aggregate.name] = value(of: aggregate, group, plan) }
      return row
    }
    return plan.isDistinct ? Self.unique(made) : made
  }

  private func value(
    of aggregate: SelectPlan.Aggregate, _ rows: [[String: Int]], _ plan: SelectPlan
  ) -> Int? {
    let numbers = rows.compactMap { $0[aggregate.attribute] }
    switch aggregate.function {
    case .count: return numbers.count
    case .min: return numbers.min()
    case .max: return numbers.max()
    case .sum:
      // The sum of no values is 0. A number stands for a value smaller by two.
      return numbers.reduce(0) { $0 + $1 - 2 }
    }
  }

  private static func unique(_ rows: [SelectPlan.Row]) -> [SelectPlan.Row] {
    var seen: Set<SelectPlan.Row> = []
    return rows.filter { seen.insert($0).inserted }
  }
}

extension SelectPlan {
  /// Whether the result's order is known.
  var isInOrder: Bool { !isGrouped && !isDistinct && aggregates.isEmpty }
}
