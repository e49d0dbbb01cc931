import Foundation

/// `distanceToLocation:fromLocation:`, for locations with the keys `latitude` and `longitude` in degrees.
enum Distance {
  /// The mean radius of the Earth, in metres.
  private static let earthRadius = 6_371_008.8

  /// The great-circle distance in metres.
  static func meters(
    _ left: PredicateValue, _ right: PredicateValue
  ) throws(PredicateFormatError) -> PredicateValue {
    if left.isNothing || right.isNothing { return .null }
    let (a, b) = (try coordinate(left), try coordinate(right))
    let (sinLatitude, sinLongitude) = (
      sin((b.latitude - a.latitude) / 2), sin((b.longitude - a.longitude) / 2)
    )
    let h =
      sinLatitude * sinLatitude
      + cos(a.latitude) * cos(b.latitude) * sinLongitude * sinLongitude
    return .double(2 * earthRadius * asin(min(1, h.squareRoot())))
  }

  private static func coordinate(
    _ location: PredicateValue
  ) throws(PredicateFormatError) -> (latitude: Double, longitude: Double) {
    guard let latitude = NumericValue(try location.value(forKey: "latitude")),
      let longitude = NumericValue(try location.value(forKey: "longitude"))
    else {
      throw PredicateFormatError(
        .typeMismatch, "a location needs a latitude and a longitude, numbers in degrees")
    }
    return (latitude.double * .pi / 180, longitude.double * .pi / 180)
  }
}
