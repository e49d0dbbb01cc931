import Foundation
import ParquetFiles

/// The digits that the decimals of a column need.
///
/// Core Data's decimals have no fixed number of digits, and SQLite stores hold them as doubles: the decimal meant is the
/// shortest that the double is nearest to, which listings show too.
struct DecimalMeasure: Hashable {
  /// The number of digits after the point.
  private(set) var scale = 0
  /// The number of digits before it.
  private var wholeDigits = 0
  /// Whether all are numbers that have a decimal form.
  private var areDecimals = true
  /// Whether all are numbers that a double holds.
  private(set) var areDoubles = true

  /// The precision that the column declares: one of two, so that files of different stores go together.
  var precision: Int { wholeDigits + scale <= 18 ? 18 : 38 }

  /// Whether all values fit into 38 digits.
  var fits: Bool { areDecimals && wholeDigits + scale <= 38 }

  private static let powers: [Double] = (0...22).map { pow(10, Double($0)) }
  /// Beyond, numbers have more than 15 digits: then several decimals may have the same nearest double.
  private static let exact = 1e15

  /// Takes a row's value into account.
  mutating func add(_ row: SQLiteStatement, _ column: Int32) {
    switch row.type(at: column) {
    case .null: return
    case .integer:
      let number = row.integer(at: column)
      if Double(exactly: number) == nil { areDoubles = false }
      wholeDigits = max(wholeDigits, String(number.magnitude).count)
    case .real: add(row.double(at: column))
    case .text, .blob: (areDecimals, areDoubles) = (false, false)
    }
  }

  private mutating func add(_ number: Double) {
    guard number.isFinite else { return areDecimals = false }
    if abs(number) < Self.exact, Self.digits(of: number, scale) != nil {
      wholeDigits = max(wholeDigits, String(Int64(abs(number))).count)
      return
    }
    guard let parts = Parts(number) else { return areDecimals = false }
    scale = max(scale, parts.scale)
    wholeDigits = max(wholeDigits, parts.wholeDigits)
  }

  /// The digits of a number as an integer, if it has at most this many after the point, and isn't too large for a
  /// simple calculation. The division is rounded correctly, and no other decimal of up to 15 digits has the same
  /// nearest double: the result is the decimal meant.
  private static func digits(of number: Double, _ scale: Int) -> Int64? {
    guard scale < powers.count else { return nil }
    let scaled = (number * powers[scale]).rounded()
    guard abs(scaled) < exact, scaled / powers[scale] == number else { return nil }
    return Int64(scaled)
  }

  /// Appends a row's value to a column of this many digits; false if it doesn't fit.
  func append(_ row: SQLiteStatement, _ column: Int32, to writer: ParquetColumnWriter) -> Bool {
    let number: Int128
    switch row.type(at: column) {
    case .integer:
      number = Int128(row.integer(at: column)) * Self.power(scale)
    case .real:
      let value = row.double(at: column)
      if let digits = Self.digits(of: value, scale) {
        number = Int128(digits)
      } else if let parts = Parts(value), parts.scale <= scale {
        number = parts.digits * Self.power(scale - parts.scale)
      } else {
        return false
      }
    case .null, .text, .blob: return false
    }
    if precision == 18 { writer.append(Int64(number)) } else { writer.append(digits: number) }
    return true
  }

  private static func power(_ exponent: Int) -> Int128 {
    (0..<max(0, exponent)).reduce(Int128(1)) { power, _ in power * 10 }
  }

  /// A number's shortest decimal form, taken apart.
  private struct Parts {
    /// All digits, with the sign.
    let digits: Int128
    let scale: Int
    let wholeDigits: Int

    init?(_ number: Double) {
      let text = "\(number)".split(separator: "e")
      guard let mantissa = text.first else { return nil }
      let exponent = text.count > 1 ? Int(text[1]) ?? 0 : 0
      let halves = mantissa.split(separator: ".")
      let fraction = halves.count > 1 && halves[1] != "0" ? String(halves[1]) : ""
      guard let first = halves.first, var digits = Int128(first + fraction) else { return nil }
      var scale = fraction.count - exponent
      guard scale <= 38, scale > -38 else { return nil }
      for _ in 0..<max(0, -scale) {
        let (product, isTooLarge) = digits.multipliedReportingOverflow(by: 10)
        guard !isTooLarge else { return nil }
        digits = product
      }
      scale = max(0, scale)
      self.digits = digits
      self.scale = scale
      wholeDigits = max(0, String(digits.magnitude).count - scale)
    }
  }
}
