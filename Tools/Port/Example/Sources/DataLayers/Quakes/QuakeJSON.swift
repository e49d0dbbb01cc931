import Foundation

/// The contents of the feed.
struct GeoJSON: Decodable {
  private(set) var quakes: [QuakeProperties] = []

  private enum RootCodingKeys: String, CodingKey { case features }
  private enum FeatureCodingKeys: String, CodingKey { case properties }

  init(from decoder: Decoder) throws {
    let root = try decoder.container(keyedBy: RootCodingKeys.self)
    var features = try root.nestedUnkeyedContainer(forKey: .features)
    while !features.isAtEnd {
      let feature = try features.nestedContainer(keyedBy: FeatureCodingKeys.self)
      // Skips quakes without a place or magnitude.
      if let properties = try? feature.decode(QuakeProperties.self, forKey: .properties) {
        quakes.append(properties)
      }
    }
  }
}

struct QuakeProperties: Decodable {
  let code: String
  let mag: Double
  let place: String
  let time: Double

  /// The values, keyed by the names of the model's attributes.
  var dictionaryValue: [String: Any] {
    [
      "code": code, "magnitude": mag, "place": place,
      "time": Date(timeIntervalSince1970: time / 1000),
    ]
  }
}
