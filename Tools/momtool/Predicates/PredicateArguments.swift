import ArgumentParser
import Foundation

/// The values for a predicate's format, given on the command line.
struct PredicateArguments {
  /// The values for `%@`, in order.
  var positional: [Any] = []
  /// The values of variables, by name without the `$`.
  var named: [String: Any] = [:]

  init() {}

  /// Parses the values of options, which are JSON.
  ///
  /// - Parameters:
  ///   - arguments: Values.
  ///   - bindings: Names and values, as in `TAG="new"`.
  init(arguments: [String], bindings: [String]) throws {
    positional = try arguments.map { try Self.value($0, "--argument") }
    for binding in bindings {
      guard let equals = binding.firstIndex(of: "=") else {
        throw ValidationError("--bind takes NAME=JSON, not '\(binding)'")
      }
      let json = String(binding[binding.index(after: equals)...])
      named[String(binding[..<equals])] = try Self.value(json, "--bind")
    }
  }

  private static func value(_ json: String, _ option: String) throws -> Any {
    do {
      return try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    } catch {
      throw ValidationError("\(option) takes JSON, such as 3 or '\"text\"', not '\(json)'")
    }
  }

  /// Refuses unused values, since a name is probably misspelled.
  ///
  /// - Parameters:
  ///   - used: The names of the variables that are used.
  ///   - what: What would use them, such as "the condition".
  func refuseUnused(besides used: Set<String>, _ what: String) throws {
    guard let name = named.keys.filter({ !used.contains($0) }).min() else { return }
    throw Diagnostic(
      "\(what) has no $\(name)" + DidYouMean.text(name, among: Array(used)), path: "--bind")
  }

  /// The number of characters shown before and after a location.
  private static let context = 100

  /// The text with a marker under a column; for a long text, only the surrounding part.
  static func pointer(_ column: Int?, in text: String) -> String {
    guard let column, !text.isEmpty else { return "" }
    let shown = TerminalText.escaped(text, keepingLines: false)
    // Control characters are replaced by symbols, so columns may have shifted.
    let before = TerminalText.escaped(String(text.prefix(column - 1)), keepingLines: false)
    guard shown.count > 2 * context else {
      return "\n  \(shown)\n  \(String(repeating: " ", count: before.count))^"
    }
    let start = max(0, before.count - context)
    let part = shown.dropFirst(start).prefix(2 * context)
    return "\n  \(start > 0 ? "…" : "")\(part)\(start + part.count < shown.count ? "…" : "")\n  "
      + String(repeating: " ", count: before.count - start + (start > 0 ? 1 : 0)) + "^"
  }
}

/// Parses dates written by people.
enum DateReading {
  /// Parses ISO 8601, using UTC if there is no time zone: a date, or a date and a time with or without a fraction of a
  /// second. Nil for anything else.
  static func date(_ text: String) -> Date? {
    let pattern =
      #/(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?/#
    guard let match = text.wholeMatch(of: pattern) else { return nil }
    let (_, year, month, day, hour, minute, second, fraction, zone) = match.output
    var parts = DateComponents()
    parts.year = Int(year)
    parts.month = Int(month)
    parts.day = Int(day)
    parts.hour = hour.flatMap { Int($0) } ?? 0
    parts.minute = minute.flatMap { Int($0) } ?? 0
    parts.second = second.flatMap { Int($0) } ?? 0
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    guard parts.isValidDate(in: calendar), let date = calendar.date(from: parts) else { return nil }
    let offset = zone.map { Self.seconds(ofZone: $0) } ?? 0
    return date.addingTimeInterval((fraction.flatMap { Double("0" + $0) } ?? 0) - Double(offset))
  }

  private static func seconds(ofZone zone: Substring) -> Int {
    let digits = zone.filter(\.isNumber)
    guard digits.count == 4, let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2))
    else { return 0 }
    return (hours * 3600 + minutes * 60) * (zone.hasPrefix("-") ? -1 : 1)
  }
}
