import DataModels
import Foundation
import PredicateFormat

import class PredicateFormat.NSExpression

// Predicates and expressions of a random model.
extension ModelMaker {
  // MARK: Validation

  /// Bounds, lengths and patterns in the shapes that momc writes, with its error codes.
  mutating func addValidation(to attribute: NSAttributeDescription) {
    let rules: [(PredicateTree, Int)]
    switch attribute.type {
    case .integer16, .integer32, .integer64:
      rules = bounds(of: .evaluatedObject, .integer(-40000), .integer(1_000_000), 1620, 1610)
    case .double, .float:
      rules = bounds(of: .evaluatedObject, .double(-0.5), .double(1e6), 1620, 1610)
    case .string:
      let matches = PredicateTree.compare(.evaluatedObject, .matches, .constant("[a-z]+.*"))
      rules = bounds(of: .key("length"), .integer(0), .integer(80), 1670, 1660) + [(matches, 1680)]
    case .date:
      let seconds = ExpressionTree.key("timeIntervalSinceReferenceDate")
      rules = bounds(of: seconds, .double(-99999), .double(99999.5), 1640, 1630)
    default: return
    }
    var kept: [(PredicateTree, Int)] = []
    for rule in rules where random.chance(60) { kept.append(rule) }
    attribute.setValidation(kept.map { NSPredicate($0.0) }, warnings: kept.map(\.1))
  }

  private func bounds(
    of subject: ExpressionTree, _ low: PredicateValue, _ high: PredicateValue, _ lowCode: Int,
    _ highCode: Int
  ) -> [(PredicateTree, Int)] {
    [
      (.compare(subject, .greaterThanOrEqualTo, .constant(low)), lowCode),
      (.compare(subject, .lessThanOrEqualTo, .constant(high)), highCode),
    ]
  }

  // MARK: Requests

  mutating func addFetchedProperty(to entity: NSEntityDescription) {
    guard let target = random.pick(entities) else { return }
    let fetched = NSFetchedPropertyDescription()
    fetched.name = name(capital: false)
    fetched.fetchRequest = request(for: target)
    if uses(.userInfo, 20) { fetched.userInfo = userInfo() }
    entity.properties += [fetched]
  }

  mutating func request(for entity: NSEntityDescription) -> NSFetchRequest<NSFetchRequestResult> {
    let request = NSFetchRequest<NSFetchRequestResult>()
    request.entity = entity
    if random.chance(75) { request.predicate = predicate(on: entity).map { NSPredicate($0) } }
    if random.chance(30) { request.fetchLimit = random.number(1...100) }
    if random.chance(20) { request.fetchBatchSize = random.number(1...100) }
    if random.chance(20) { request.includesSubentities = false }
    if random.chance(20) { request.returnsObjectsAsFaults = false }
    switch random.number(0...9) {
    case 0: request.resultType = .managedObjectIDResultType
    case 1:
      request.resultType = .dictionaryResultType
      request.returnsDistinctResults = random.chance(50)
    default: break
    }
    return request
  }

  /// One comparison, or a combination of several.
  private mutating func predicate(on entity: NSEntityDescription) -> PredicateTree? {
    let count = random.pick([1, 1, 1, 2, 3]) ?? 1
    var members: [PredicateTree] = []
    for _ in 0..<count { if let member = comparison(on: entity) { members.append(member) } }
    guard let first = members.first else { return nil }
    if members.count > 1 { return random.chance(50) ? .and(members) : .or(members) }
    return random.chance(10) ? .not(first) : first
  }

  private mutating func comparison(on entity: NSEntityDescription) -> PredicateTree? {
    let attributes = entity.properties.compactMap { $0 as? NSAttributeDescription }
    guard let attribute = random.pick(attributes) else { return nil }
    let key = ExpressionTree.key(attribute.name)
    let variable = ExpressionTree.variable(name(capital: true).uppercased())
    if random.chance(40) { return .compare(key, .equalTo, variable) }
    switch attribute.type {
    case .string:
      let operators: [ComparisonOperator] = [.beginsWith, .contains, .like, .equalTo, .notEqualTo]
      let options: [ComparisonOptions] = [[], [.caseInsensitive]]
      let chosen = random.pick(operators) ?? .equalTo
      return .compare(
        key, chosen, .constant(.string(text())),
        options: chosen == .equalTo || chosen == .notEqualTo ? [] : random.pick(options) ?? [])
    case .integer16, .integer32, .integer64:
      let operators: [ComparisonOperator] = [.lessThan, .greaterThanOrEqualTo, .equalTo]
      return .compare(
        key, random.pick(operators) ?? .equalTo, .constant(.integer(Int64(random.number(-3...99)))))
    case .double: return .compare(key, .greaterThan, .constant(.double(0.5)))
    default: return .compare(key, .notEqualTo, .constant(.null))
    }
  }

  // MARK: Derived attributes

  mutating func addDerivedAttribute(to entity: NSEntityDescription) {
    let stored = entity.ownProperties.filter { !$0.isTransient }
    let relationships = stored.compactMap { $0 as? NSRelationshipDescription }
    let strings = stored.compactMap { $0 as? NSAttributeDescription }.filter { $0.type == .string }
    let derived = NSDerivedAttributeDescription()
    derived.name = name(capital: false)
    if let toMany = relationships.first(where: \.isToMany), random.chance(40) {
      derived.type = .integer64
      derived.derivationExpression = NSExpression(.call("count:", .key(toMany.name)))
    } else if let string = strings.first, random.chance(70) {
      derived.type = .string
      let function = random.pick(["canonical:", "uppercase:", "lowercase:"]) ?? "canonical:"
      derived.derivationExpression =
        random.chance(30)
        ? NSExpression(.key(string.name)) : NSExpression(.call(function, .key(string.name)))
    } else {
      derived.type = .date
      derived.derivationExpression = NSExpression(.function(.init("now", [])))
    }
    derived.isOptional = random.chance(80)
    entity.properties += [derived]
  }
}
