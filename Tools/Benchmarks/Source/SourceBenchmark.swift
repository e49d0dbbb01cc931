import CompiledModel
import Foundation
import ManagedModel
import ModelSource

/// Times the reading and compiling of a large source; ends with status 1 over the limits.
///
/// Run it with `swift run -c release SourceBenchmark`.
@main
enum SourceBenchmark {
  /// The least that must be compiled in a second, in megabytes of XML.
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
    var speed = 0.0
    for step in steps {
      let seconds = try best(step.body)
      speed = size / seconds
      print(String(format: "%7.4f s  %6.1f MB/s  ", seconds, speed) + step.name)
    }
    exit(speed >= leastSpeed ? 0 : 1)
  }

  private static func best(_ body: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<rounds {
      let start = Date()
      try body()
      best = min(best, Date().timeIntervalSince(start))
    }
    return best
  }

  /// A source whose entities have 13 attributes and 6 relationships each.
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
