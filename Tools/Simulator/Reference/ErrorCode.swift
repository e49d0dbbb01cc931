/// The error codes that the reference expects.
enum ErrorCode {
  static let dangling = 1550
  static let invalid = 1550
  static let multiple = 1560
  static let missing = 1570
  static let tooFew = 1580
  static let tooMany = 1590
  static let denied = 1600
  static let conflicts = 134050
  static let external = 133010
  static let merge = 133020
  static let constraint = 133021
}
