import Testing

@testable import ManagedObjects
@testable import ParquetFiles

/// The digits of decimals in columns of a fixed scale.
@Suite struct DecimalMeasureTests {
  /// The scale for some numbers, and their digits as integers.
  private func measured(_ numbers: [Double]) throws -> (scale: Int, digits: [Int64]) {
    let connection = try SQLiteConnection.inMemory()
    func read(_ number: Double, _ body: (SQLiteStatement) -> Void) throws {
      try connection.withStatement("SELECT ?") { row in
        try row.bind(number, at: 1)
        #expect(try row.step())
        body(row)
      }
    }
    var measure = DecimalMeasure()
    for number in numbers { try read(number) { measure.add($0, 0) } }
    #expect(measure.fits && measure.precision == 18)
    let writer = ParquetColumnWriter(
      ParquetColumn("amount", .decimal(precision: measure.precision, scale: measure.scale)))
    for number in numbers {
      try read(number) { row in #expect(measure.append(row, 0, to: writer), "\(number)") }
    }
    return (measure.scale, writer.values.integers)
  }

  /// 64.01 isn't 64.01000000000001, which has the digits of the nearest integer to its multiple.
  @Test func aLargeScaleAddsNoDigits() throws {
    let (scale, digits) = try measured([33.33333333333333, 64.01, -64.01, 0.5])
    #expect(scale == 14)
    #expect(
      digits == [
        3_333_333_333_333_333, 6_401_000_000_000_000, -6_401_000_000_000_000, 50_000_000_000_000,
      ])
  }

  @Test func digitsThatANumberHasStay() throws {
    let (scale, digits) = try measured([0.1 + 0.2, 0.5, 1])
    #expect(scale == 17)
    #expect(digits.first == 30_000_000_000_000_004)
  }
}
