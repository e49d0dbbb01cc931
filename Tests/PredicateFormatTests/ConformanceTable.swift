import Foundation
import PredicateFormat
import TestSupport
import Testing

/// The cases in TestArchives/predicates/conformance.txt, whose header explains its columns.
struct ConformanceTable {
  struct Case: Sendable, CustomTestStringConvertible {
    var line: Int
    var text: String
    /// Nil if the format is invalid.
    var canonical: String?
    var result: String
    var given: String
    var object: String
    var source: String

    var testDescription: String { "line \(line): \(text)" }
  }

  struct Mistake: Error, CustomStringConvertible {
    var description: String
  }

  static let url = Corpus.packageRoot.appendingPathComponent(
    "TestArchives/predicates/conformance.txt")

  static let cases: [Case] = (try? ConformanceTable(contentsOf: url).cases) ?? []

  var cases: [Case] = []

  init(contentsOf url: URL) throws {
    var objects: [String: String] = [:]
    var (current, source) = ("null", "")
    let lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
    for (index, line) in lines.enumerated() {
      let columns = line.components(separatedBy: "\t")
      if line.hasPrefix("@source ") {
        source = String(line.dropFirst(8))
      } else if line.hasPrefix("@object ") {
        let parts = line.split(separator: " ", maxSplits: 2)
        objects[String(parts[1])] = String(parts[2])
      } else if line.hasPrefix("@use ") {
        guard let object = objects[String(line.dropFirst(5))] else {
          throw Mistake(description: "line \(index + 1): no such object")
        }
        current = object
      } else if columns.count >= 3 {
        cases.append(
          Case(
            line: index + 1, text: columns[0], canonical: Self.canonical(columns),
            result: columns[2], given: columns.count > 3 ? columns[3] : "", object: current,
            source: source))
      } else if !line.isEmpty, !line.hasPrefix("#") {
        throw Mistake(description: "line \(index + 1) is none of a case, a comment, a directive")
      }
    }
  }

  private static func canonical(_ columns: [String]) -> String? {
    switch columns[1] {
    case "-": nil
    case "=": columns[0]
    default: columns[1]
    }
  }

  /// Parses a value of the table: JSON, with `{"$date": …}` and similar for types that JSON lacks.
  static func value(_ json: String) throws -> Any? {
    try value(
      JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed))
  }

  private static func value(_ json: Any) throws -> Any? {
    switch json {
    case let array as [Any]: return try array.map { try value($0) ?? NSNull() }
    case let dictionary as [String: Any]:
      if dictionary.count == 1, let (key, inner) = dictionary.first, key.hasPrefix("$") {
        return try typed(key, inner)
      }
      return try dictionary.mapValues { try value($0) ?? NSNull() }
    default: return json
    }
  }

  private static func typed(_ type: String, _ json: Any) throws -> Any? {
    switch (type, json) {
    case ("$date", let seconds as NSNumber):
      return Date(timeIntervalSinceReferenceDate: seconds.doubleValue)
    case ("$uuid", let text as String): return UUID(uuidString: text)
    case ("$url", let text as String): return URL(string: text)
    case ("$decimal", let text as String): return Decimal(string: text)
    case ("$set", let elements as [AnyHashable]): return Set(elements)
    case ("$data", let text as String):
      let digits = Array(text)
      return Data(
        stride(from: 0, to: digits.count, by: 2).compactMap {
          UInt8(String(digits[$0..<min($0 + 2, digits.count)]), radix: 16)
        })
    default: throw Mistake(description: "no type \(type)")
    }
  }
}
