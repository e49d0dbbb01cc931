/// A request for dictionaries: saved values as rows.
struct SelectPlan: Codable, Sendable, Hashable {
  /// A function of many rows.
  struct Aggregate: Codable, Sendable, Hashable {
    enum Function: String, Codable, Sendable, CaseIterable { case count, sum, min, max }

    var function: Function
    var attribute: String

    /// The name of the function's column.
    var name: String { "\(function)_\(attribute)" }
  }

  /// The function that counts the rows of a group.
  static let rows = Aggregate(function: .count, attribute: ModelPlan.serial)

  /// A row by column name: the number of a value, or the result of a function.
  typealias Row = [String: Int]

  var entity: String
  var includesSubentities = true
  var condition: Condition?
  var attributes: [String] = []
  var aggregates: [Aggregate] = []
  /// Whether rows with the same values of the attributes form a group.
  var isGrouped = false
  /// The minimum number of rows of a group; a condition on the column that counts them.
  var least: Int?
  var isDistinct = false
  /// The limit and offset, in the order of the serial number; only for requests that are neither grouped nor distinct.
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

  /// Simpler versions of the request.
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

  /// The properties that the request names.
  var keys: [String] { attributes + aggregates.map(\.attribute) + (condition?.keys ?? []) }
}
