/// Compares the expected result of an operation with its actual result.
struct Comparison {
  private let step: Int

  init(_ step: Int) { self.step = step }

  func compare(_ expected: Expectation, _ outcome: Outcome, _ model: ModelPlan) -> Failure? {
    switch (expected, outcome) {
    case (.skipped, _), (.done, .done): return nil
    case (.fails(let code), .failed(let actual, let text)):
      guard code != actual else { return nil }
      return failure("error \(code), not \(actual)", "error \(code)", text)
    case (.finds(let names), .found(let found)):
      return names == found ? nil : failure("found", "\(names)", "\(found)")
    case (.counts(let count), .counted(let found)):
      return count == found ? nil : failure("count", "\(count)", "\(found)")
    case (.selects(let expected, let isOrdered), .selected(let rows)):
      let isSame = isOrdered ? expected == rows : Self.sorted(expected) == Self.sorted(rows)
      return isSame ? nil : failure("selected", "\(expected)", "\(rows)")
    case (.shows(let expected), .showed(let actual)):
      return difference(expected, actual, model).map { failure("look", $0, $1, $2) }
    case (_, .failed(let code, let text)):
      return failure("error \(code)", Self.text(expected), text)
    default: return failure("outcome", Self.text(expected), "\(outcome)")
    }
  }

  /// The first difference between views, or nil.
  func difference(
    _ expected: [ObjectName: ObjectView], _ actual: [ObjectName: ObjectView], _ model: ModelPlan,
    seesDerived: Bool = false
  ) -> (kind: String, expected: String, actual: String)? {
    for name in Set(expected.keys).union(actual.keys).sorted() {
      guard let left = expected[name] else {
        return ("object", "no object \(name)", "object \(name)")
      }
      guard let right = actual[name] else {
        return ("object", "object \(name)", "no object \(name)")
      }
      if left.entity != right.entity { return ("entity", "\(name): \(left.entity)", right.entity) }
      if left.flags != right.flags, left.flags != ObjectView.vague {
        return ("flags", "\(name): \"\(left.flags)\"", "\"\(right.flags)\"")
      }
      for attribute in model.attributes(of: left.entity) {
        let (a, b) = (left.attributes[attribute.name], right.attributes[attribute.name])
        if attribute.counted != nil, !seesDerived || a == nil { continue }
        if a != b { return ("attribute", "\(name).\(attribute.name) = \(show(a))", show(b)) }
      }
      for relationship in model.relationships(of: left.entity) {
        let key = relationship.name
        let (a, b) =
          relationship.isToMany
          ? (left.toManys[key], right.toManys[key])
          : (left.toOnes[key].map { [$0] }, right.toOnes[key].map { [$0] })
        guard a != b else { continue }
        let concerned = [name] + Set(a ?? []).symmetricDifference(b ?? [])
        let kind =
          concerned.contains { expected[$0]?.isOutdated == true }
          ? Failure.outdated
          : relationship.isToMany ? relationship.isOrdered ? "ordered" : "to-many" : "to-one"
        let texts = [a, b].map { members in
          guard let members else { return "nil" }
          return relationship.isToMany ? "\(members)" : members.map { "\($0)" }.joined()
        }
        return (kind, "\(name).\(key) = \(texts[0])", texts[1])
      }
    }
    return nil
  }

  private static func sorted(_ rows: [SelectPlan.Row]) -> [String] {
    rows.map { row in "\(row.sorted { $0.key < $1.key })" }.sorted()
  }

  private func show(_ number: Int?) -> String { number.map(String.init) ?? "nil" }

  private func failure(_ kind: String, _ expected: String, _ actual: String) -> Failure {
    Failure(kind: kind, step: step, text: "expected \(expected)\nactual   \(actual)")
  }

  private func failure(
    _ place: String, _ kind: String, _ expected: String, _ actual: String
  ) -> Failure {
    failure("\(place): \(kind)", expected, actual)
  }

  private static func text(_ expected: Expectation) -> String {
    switch expected {
    case .skipped: "nothing"
    case .done: "success"
    case .fails(let code): "error \(code)"
    case .finds(let names): "\(names)"
    case .counts(let count): "\(count)"
    case .selects(let rows, _): "\(rows)"
    case .shows: "objects"
    }
  }
}
