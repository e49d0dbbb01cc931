/// A request for dictionaries: what is saved, as rows of values.
struct SelectPlan: Codable, Hashable {
  /// A function of many rows.
  struct Aggregate: Codable, Hashable {
    enum Function: String, Codable, CaseIterable { case count, sum, min, max }

    var function: Function
    var attribute: String

    /// What its column is called.
    var name: String { "\(function)_\(attribute)" }
  }

  /// The function that counts a group's rows.
  static let rows = Aggregate(function: .count, attribute: ModelPlan.serial)

  /// What a row has of one name: the number of a value, or what a function gives.
  typealias Row = [String: Int]

  var entity: String
  var includesSubentities = true
  var condition: Condition?
  var attributes: [String] = []
  var aggregates: [Aggregate] = []
  /// Whether rows that have the attributes in common are one.
  var isGrouped = false
  /// How many rows a group has at least; asked of the column that counts them.
  var least: Int?
  var isDistinct = false
  /// How many rows of how many, in the order of the serial; for what is neither grouped nor distinct.
  var limit = 0
  var offset = 0
}

extension SelectPlan {
  var text: String {
    var parts = [(attributes + aggregates.map(\.name)).joined(separator: " "), "of \(entity)"]
    if !includesSubentities { parts.append("without subentities") }
    if let condition { parts.append("where: \(condition.text)") }
    if isGrouped { parts.append("grouped") }
    if let least { parts.append("having: count ≥ \(least)") }
    if isDistinct { parts.append("distinct") }
    if limit > 0 { parts.append("limit: \(limit)") }
    if offset > 0 { parts.append("offset: \(offset)") }
    return parts.joined(separator: ", ")
  }

  /// The same with less.
  var simpler: [SelectPlan] {
    let changes: [(inout SelectPlan) -> Void] = [
      { $0.condition = nil }, { $0.least = nil }, { $0.isDistinct = false }, { $0.limit = 0 },
      { $0.offset = 0 }, { $0.includesSubentities = true },
      { if $0.aggregates.count > 1, $0.least == nil { $0.aggregates.removeLast() } },
      { if !$0.isGrouped, $0.attributes.count > 1 { $0.attributes.removeLast() } },
    ]
    return changes.map { change in
      var plan = self
      change(&plan)
      return plan
    }
  }

  /// The properties it names.
  var keys: [String] { attributes + aggregates.map(\.attribute) + (condition?.keys ?? []) }
}
