import Foundation

/// A value in the form that PostgreSQL stores.
enum PostgreSQLValue: Hashable {
  /// NULL, of the type with this OID.
  case null(UInt32)
  case boolean(Bool)
  case int2(Int16)
  case int4(Int32)
  case int8(Int64)
  case float4(Float)
  case float8(Double)
  /// A number's digits, or `NaN`.
  case numeric(String)
  case text(String)
  case bytes(Data)
  case uuid(UUID)
  /// Microseconds since 2000.
  case timestamp(Int64)
  /// The text of a JSON object.
  case json(Data)

  /// The OID of the value's type.
  var type: UInt32 {
    switch self {
    case .null(let type): type
    case .boolean: PostgreSQLParameters.TypeNumber.boolean
    case .int2: PostgreSQLParameters.TypeNumber.int2
    case .int4: PostgreSQLParameters.TypeNumber.int4
    case .int8: PostgreSQLParameters.TypeNumber.int8
    case .float4: PostgreSQLParameters.TypeNumber.float4
    case .float8: PostgreSQLParameters.TypeNumber.float8
    case .numeric: PostgreSQLParameters.TypeNumber.numeric
    case .text: PostgreSQLParameters.TypeNumber.text
    case .bytes: PostgreSQLParameters.TypeNumber.bytes
    case .uuid: PostgreSQLParameters.TypeNumber.uuid
    case .timestamp: PostgreSQLParameters.TypeNumber.timestamp
    case .json: PostgreSQLParameters.TypeNumber.json
    }
  }

  /// What tells the value apart from others as the server does: texts by their bytes. To Swift, a letter with its accent
  /// is the same as the two characters.
  var identity: PostgreSQLValue {
    if case .text(let text) = self { .bytes(Data(text.utf8)) } else { self }
  }

  /// About the number of bytes of the value in binary format.
  var size: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .bytes(let data), .json(let data): data.count
    default: 16
    }
  }

  /// Appends the value in binary format.
  func write(into bytes: inout [UInt8]) {
    switch self {
    case .null: break
    case .boolean(let flag): bytes.append(flag ? 1 : 0)
    case .int2(let number): PostgreSQLParameters.put(number, into: &bytes)
    case .int4(let number): PostgreSQLParameters.put(number, into: &bytes)
    case .int8(let number), .timestamp(let number):
      PostgreSQLParameters.put(number, into: &bytes)
    case .float4(let number): PostgreSQLParameters.put(number.bitPattern, into: &bytes)
    case .float8(let number): PostgreSQLParameters.put(number.bitPattern, into: &bytes)
    case .numeric(let digits): PostgreSQLNumeric.write(digits, into: &bytes)
    case .text(let text): bytes.append(contentsOf: text.utf8)
    case .bytes(let data): bytes.append(contentsOf: data)
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
    case .json(let text):
      // The version of `jsonb`'s binary format.
      bytes.append(1)
      bytes.append(contentsOf: text)
    }
  }
}

/// PostgreSQL's timestamps: microseconds since 2000, from 4713 BC to AD 294276.
enum PostgreSQLTimestamp {
  /// The number of microseconds from 2000 to 2001.
  private static let offset: Int64 = 31_622_400_000_000
  private static let least: Int64 = -211_813_488_000_000_000
  private static let end: Int64 = 9_223_371_331_200_000_000

  /// Returns the microsecond nearest to a date in seconds since 2001, or nil if it is out of range.
  static func microseconds(_ seconds: Double) -> Int64? {
    if seconds == .infinity { return .max }
    if seconds == -.infinity { return .min }
    let whole = seconds.rounded(.down)
    guard whole > -9.2e12, whole < 9.2e12 else { return nil }
    // The fraction is exact, so only the product is rounded.
    let fraction = Int64(((seconds - whole) * 1e6).rounded())
    let microseconds = Int64(whole) * 1_000_000 + fraction + offset
    return microseconds >= least && microseconds < end ? microseconds : nil
  }

  /// Returns seconds since 2001.
  static func seconds(_ microseconds: Int64) -> Double {
    if microseconds == .max { return .infinity }
    if microseconds == .min { return -.infinity }
    let since2001 = microseconds.subtractingReportingOverflow(offset)
    guard !since2001.overflow else { return -.infinity }
    let (whole, rest) = since2001.partialValue.quotientAndRemainder(dividingBy: 1_000_000)
    return Double(whole) + Double(rest) / 1e6
  }
}

/// PostgreSQL's `numeric` values: digits in base 10000.
enum PostgreSQLNumeric {
  /// Appends a decimal number, with or without a decimal point and exponent.
  static func write(_ text: String, into bytes: inout [UInt8]) {
    guard text.lowercased() != "nan" else {
      for word in [0, 0, 0xC000, 0] as [UInt16] { PostgreSQLParameters.put(word, into: &bytes) }
      return
    }
    let parts = text.lowercased().split(separator: "e", maxSplits: 1)
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    var mantissa = parts.first.map(String.init) ?? "0"
    let isNegative = mantissa.hasPrefix("-")
    mantissa.removeAll { $0 == "-" || $0 == "+" }
    let halves = mantissa.split(separator: ".", omittingEmptySubsequences: false)
    let fractionText = halves.count > 1 ? halves[1] : ""
    var digits = (halves.first.map(Array.init) ?? []) + Array(fractionText)
    // The number of digits before the decimal point.
    var point = (halves.first?.count ?? 0) + exponent
    while let first = digits.first, first == "0" {
      digits.removeFirst()
      point -= 1
    }
    while let last = digits.last, last == "0" { digits.removeLast() }
    let scale = max(0, digits.count - point)
    // The first group contains the digits that don't fill a group of four.
    let groups = (point > 0 ? (point + 3) / 4 : point / 4)
    let padding = groups * 4 - point
    var values: [UInt16] = []
    if !digits.isEmpty {
      let padded = Array(repeating: Character("0"), count: padding) + digits
      for start in stride(from: 0, to: padded.count, by: 4) {
        var value = 0
        for place in start..<start + 4 {
          value = value * 10 + (place < padded.count ? padded[place].wholeNumberValue ?? 0 : 0)
        }
        values.append(UInt16(value))
      }
    }
    PostgreSQLParameters.put(UInt16(truncatingIfNeeded: values.count), into: &bytes)
    PostgreSQLParameters.put(
      Int16(truncatingIfNeeded: values.isEmpty ? 0 : groups - 1), into: &bytes)
    PostgreSQLParameters.put(UInt16(isNegative && !values.isEmpty ? 0x4000 : 0), into: &bytes)
    PostgreSQLParameters.put(UInt16(truncatingIfNeeded: min(scale, 0x3FFF)), into: &bytes)
    for value in values { PostgreSQLParameters.put(value, into: &bytes) }
  }

  /// Returns the number, or nil if it is malformed or doesn't fit in a `Decimal`.
  static func decimal(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
    guard bytes.count >= 8 else { return nil }
    func word(_ index: Int) -> UInt16 {
      UInt16(bytes[index * 2]) << 8 | UInt16(bytes[index * 2 + 1])
    }
    let count = Int(word(0))
    let weight = Int(Int16(bitPattern: word(1)))
    let sign = word(2)
    guard sign != 0xC000 else { return .nan }
    guard sign == 0 || sign == 0x4000, bytes.count >= 8 + count * 2 else { return nil }
    if count == 0 { return 0 }
    var text = sign == 0 ? "" : "-"
    for index in 0..<count {
      let digits = String(word(4 + index))
      text += String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
    let exponent = (weight - count + 1) * 4
    // Trailing zeros are an artifact of the format, and could exceed a `Decimal`'s digits.
    var shift = exponent
    while text.hasSuffix("0"), text.count > 2 {
      text.removeLast()
      shift += 1
    }
    return Decimal(string: "\(text)e\(shift)")
  }
}
