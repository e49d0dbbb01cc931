/// SQL that makes a number one of another type, as SQLite stores do.
///
/// PostgreSQL's casts round to the nearest integer, keep 6 or 15 digits of floating-point numbers that become
/// `numeric`, and fail beyond a type's range.
enum NumberSQL {
  /// Returns the integer that a number becomes: truncated towards zero, and clamped to the range of integers of that
  /// many bits. It is nil if there is no number (NaN), which SQLite stores have as nil.
  ///
  /// - Parameter isReal: whether the number is a floating-point one, which `numeric` wouldn't keep.
  static func integer(_ sql: String, isReal: Bool, bits: Int) -> String {
    let number = isReal ? "(\(sql))::float8" : "(\(sql))::numeric"
    let most = Int64.max >> Int64(64 - bits)
    let least = "(\(-most - 1))"
    // The greatest integer of 64 bits becomes 2 to the power of 63 beside a floating-point number.
    return "CASE WHEN \(number) = 'NaN' THEN NULL WHEN \(number) >= \(most) THEN \(most) "
      + "WHEN \(number) <= \(least) THEN \(least) ELSE trunc(\(number))::bigint END"
  }

  /// Returns the decimal that a floating-point number becomes: the one with the fewest digits that denotes the number
  /// in double precision, which is the precision of SQLite stores. It is nil for what isn't finite.
  static func decimal(ofReal sql: String) -> String {
    let number = "(\(sql))::float8"
    return "CASE WHEN \(number) NOT IN ('NaN', 'Infinity', '-Infinity') "
      + "THEN \(number)::text::numeric END"
  }

  /// Returns the number in single precision: infinite beyond its range, and zero below it.
  static func single(_ sql: String) -> String {
    let number = "(\(sql))::float8"
    // What is nearer to 2 to the power of 128 than to the greatest number; half of the least one.
    return "CASE WHEN \(number) = 'NaN' THEN 'NaN'::real "
      + "WHEN \(number) >= 3.4028235677973366e38 THEN 'Infinity'::real "
      + "WHEN \(number) <= -3.4028235677973366e38 THEN '-Infinity'::real "
      + "WHEN abs(\(number)) <= 7.006492321624085e-46 THEN 0::real ELSE \(number)::real END"
  }
}
