import DataModels
import Foundation
import ModelListing

/// Formats values of models for people.
enum ValueWords {
  /// A value on one line, abbreviated if it is long.
  static func text(_ value: ModelSchema.Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): value ? "yes" : "no"
    case .integer(let value): "\(value)"
    case .double(let value): number(value)
    case .decimal(let value): "\(value)"
    case .string(let value): "“\(shortened(value))”"
    case .date(let seconds): date(seconds)
    case .data(let bytes): "\(bytes.count) bytes"
    case .uuid(let value): value.uuidString
    case .uri(let value): shortened(value)
    // Nested values are only counted, as they may be arbitrarily large.
    case .array(let values): "\(values.count) values"
    case .dictionary(let values): "\(values.count) entries"
    case .object(let description): shortened(description)
    }
  }

  /// A number, without a fraction if it is whole.
  static func number(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  /// A point in time in UTC, to the second; only the day if it is at midnight.
  static func date(_ seconds: Double) -> String {
    // Rounded down, as clocks display it.
    let text = DateText.iso8601(seconds.rounded(.down))
    guard text.hasSuffix("Z"), text.contains("T") else { return text }
    return text.hasSuffix("T00:00:00Z")
      ? String(text.dropLast(10)) : String(text.dropLast()).replacing("T", with: " ")
  }

  private static func shortened(_ text: String) -> String {
    text.count > 400 ? text.prefix(400) + "…" : text
  }
}

/// Formats validation rules for people.
enum ValidationWords {
  private static let operators = [">=", "<=", "==", ">", "<", "MATCHES"]

  /// A rule in words; one in an unusual form is given as its predicate.
  static func text(_ rule: ModelSchema.ValidationRule, type: ModelSchema.AttributeType) -> String {
    let phrase = phrase(rule.predicate, type: type) ?? "valid if \(rule.predicate)"
    guard case .string(let message)? = rule.warning, !message.isEmpty else { return phrase }
    return "\(phrase), else “\(message)”"
  }

  private static func phrase(_ predicate: String, type: ModelSchema.AttributeType) -> String? {
    for sign in operators {
      for (subject, isLength) in [
        ("length", true), ("SELF", false), ("timeIntervalSinceReferenceDate", false),
      ] {
        let start = "\(subject) \(sign) "
        guard predicate.hasPrefix(start) else { continue }
        let operand = String(predicate.dropFirst(start.count))
        // The usual forms have a single constant operand.
        let isText = operand.hasPrefix("\"")
        guard isText == (sign == "MATCHES"), isText || Double(operand) != nil else { return nil }
        if isText { return "matches \(operand.dropFirst().dropLast())" }
        return isLength
          ? length(sign, operand) : bound(sign, operand, isDate: subject != "SELF")
      }
    }
    return nil
  }

  private static func length(_ sign: String, _ count: String) -> String {
    let unit = count == "1" ? "character" : "characters"
    switch sign {
    case ">=": return count == "1" ? "not empty" : "at least \(count) \(unit)"
    case "<=": return "at most \(count) \(unit)"
    case ">": return "more than \(count) \(unit)"
    case "<": return "fewer than \(count) \(unit)"
    default: return "exactly \(count) \(unit)"
    }
  }

  private static func bound(_ sign: String, _ number: String, isDate: Bool) -> String {
    let shown = isDate ? Double(number).map(ValueWords.date) ?? number : number
    switch sign {
    case ">=": return isDate ? "not before \(shown)" : "at least \(shown)"
    case "<=": return isDate ? "not after \(shown)" : "at most \(shown)"
    case ">": return isDate ? "after \(shown)" : "more than \(shown)"
    case "<": return isDate ? "before \(shown)" : "less than \(shown)"
    default: return "exactly \(shown)"
    }
  }
}

/// Formats indexes for people.
enum IndexWords {
  static func text(_ index: ModelSchema.FetchIndex) -> String {
    let elements = index.elements.map { element in
      var text = element.expression.map { $0.expression ?? "nothing" } ?? element.name
      if element.collation == .rTree { text += " (R-tree)" }
      return element.isAscending ? text : "\(text) descending"
    }
    let list = elements.joined(separator: ", ")
    return index.predicate.map { "\(list) where \($0)" } ?? list
  }
}

/// Formats fetch requests for people.
enum RequestWords {
  /// The settings of a request other than its predicate.
  static func notes(_ request: ModelSchema.FetchRequest) -> [String] {
    var notes: [String] = []
    let order = request.sortDescriptors.map { key in
      (key.key ?? "self") + (key.isAscending ? "" : " descending")
    }
    if !order.isEmpty { notes.append("ordered by \(order.joined(separator: ", "))") }
    if request.fetchLimit != 0 { notes.append("at most \(request.fetchLimit)") }
    if request.fetchOffset != 0 { notes.append("without the first \(request.fetchOffset)") }
    if request.fetchBatchSize != 0 { notes.append("\(request.fetchBatchSize) at a time") }
    switch request.resultType {
    case .managedObjects: break
    case .managedObjectIDs: notes.append("identities")
    case .dictionaries: notes.append("dictionaries")
    case .count: notes.append("the number alone")
    }
    func add(_ word: String, _ names: [String]) {
      if !names.isEmpty { notes.append("\(word) \(names.joined(separator: ", "))") }
    }
    add("with", request.relationshipKeyPathsForPrefetching)
    add("only", request.propertiesToFetch)
    add("grouped by", request.propertiesToGroupBy)
    if let having = request.havingPredicate { notes.append("having \(having)") }
    if request.returnsDistinctResults { notes.append("each once") }
    if !request.includesSubentities { notes.append("without subentities") }
    if !request.includesPropertyValues { notes.append("without values") }
    if !request.includesPendingChanges { notes.append("without unsaved changes") }
    if !request.returnsObjectsAsFaults { notes.append("with their values at once") }
    if request.shouldRefreshRefetchedObjects { notes.append("refreshing") }
    return notes
  }
}
