import DataModels
import Foundation
import ModelSource

/// Measures reading and compiling a large source. Exits with status 1 if compiling is too slow.
///
/// Run it with `swift run -c release --package-path Tools SourceBenchmark`.
@main
enum SourceBenchmark {
  /// The minimum compilation speed, in megabytes of XML per second.
  private static let leastSpeed = 15.0
  private static let rounds = 5

  static func main() throws {
    let xml = Data(source(entities: 1000).utf8)
    let size = Double(xml.count) / 1e6
    let steps: [(name: String, body: () throws -> Void)] = [
      ("read the document", { _ = try SourceDocument(data: xml, path: "contents") }),
      ("read the model", { _ = try SourceModel(data: xml) }),
      ("write it back", { _ = SourceWriter(try SourceModel(data: xml).model).xml }),
      ("compile", { _ = try ModelArchive.encode(SourceModel(data: xml).model) }),
    ]
    // Alternating, so that other load on the machine affects all steps.
    var times = Array(repeating: Double.infinity, count: steps.count)
    for _ in 0..<rounds {
      for (index, step) in steps.enumerated() {
        times[index] = min(times[index], try seconds(step.body))
      }
    }
    var speed = 0.0
    for (step, seconds) in zip(steps, times) {
      speed = size / seconds
      print(
        String(format: "%7.4f s  %6.1f MB/s  %5.2f x  ", seconds, speed, seconds / times[0])
          + step.name)
    }
    exit(speed >= leastSpeed ? 0 : 1)
  }

  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = Date()
    try body()
    return Date().timeIntervalSince(start)
  }

  /// Returns a source whose entities have 13 attributes and 6 relationships each.
  private static func source(entities count: Int) -> String {
    let types = ["String", "Integer 32", "Date", "Boolean", "Double", "UUID", "Binary"]
    var lines = ["<model userDefinedModelVersionIdentifier=\"\">"]
    for entity in 0..<count {
      lines.append(
        "    <entity name=\"Entity\(entity)\" representedClassName=\"Entity\(entity)\""
          + " syncable=\"YES\">")
      for place in 0..<13 {
        lines.append(
          "        <attribute name=\"attribute\(place)\" optional=\"YES\""
            + " attributeType=\"\(types[place % types.count])\" usesScalarValueType=\"YES\"/>")
      }
      for place in 0..<3 {
        for (name, inverse, step) in [
          ("to", "from", place * 7 + 1), ("from", "to", -place * 7 - 1),
        ] {
          let other = (entity + step + count) % count
          lines.append(
            "        <relationship name=\"\(name)\(place)\" optional=\"YES\""
              + (name == "to" ? " maxCount=\"1\"" : " toMany=\"YES\"")
              + " deletionRule=\"Nullify\" destinationEntity=\"Entity\(other)\""
              + " inverseName=\"\(inverse)\(place)\" inverseEntity=\"Entity\(other)\"/>")
        }
      }
      lines.append("    </entity>")
    }
    return lines.joined(separator: "\n") + "\n</model>\n"
  }
}
