import DataModels
import ModelEvolution
import ModelListing
import PropertyLists

/// The report of `momtool verify`.
struct VerificationReport: Encodable {
  /// The version of the JSON format.
  var schemaVersion = 1
  /// The inputs, in the given order.
  var inputs: [Input]

  init(inputs: [Input]) {
    self.inputs = inputs
  }

  /// The findings for one bundle or store.
  struct Input: Encodable {
    var path: String
    /// The frozen SwiftData schema that a store matches; nil if it matches none, or none were given.
    var schema: String?
    var differences: [Difference]

    init(path: String, differences: [HashDifference], schema: String? = nil) {
      self.path = path
      self.schema = schema
      self.differences = differences.map { Difference(difference: $0) }
    }

    /// One line per difference, or one that says there are none.
    func text(paint: ReportPaint) -> String {
      guard !differences.isEmpty else {
        return DisplayText.bare("\(path): ") + paint(.added, "as recorded")
          + "\(schema.map { ", of \($0)" } ?? "")\n"
      }
      return differences.map {
        DisplayText.bare("\(path): ") + paint(.trouble, "\($0.difference)") + "\n"
      }.joined()
    }
  }

  /// A difference.
  struct Difference: Encodable {
    var difference: HashDifference

    private enum CodingKeys: CodingKey {
      case kind, version, entity, recorded, computed
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(difference.kind.rawValue, forKey: .kind)
      try container.encodeIfPresent(difference.version, forKey: .version)
      try container.encodeIfPresent(difference.entity, forKey: .entity)
      try container.encodeIfPresent(difference.recorded, forKey: .recorded)
      try container.encodeIfPresent(difference.computed, forKey: .computed)
    }
  }

  /// The JSON text.
  func json() throws -> String {
    try JSONText.encode(self)
  }
}
