import Testing

@testable import PropertyLists

/// Dates as texts, in the Gregorian calendar at all times.
@Suite struct DateTextTests {
  @Test(
    arguments: [
      (0, "2001-01-01T00:00:00Z"), (-1, "2000-12-31T23:59:59Z"),
      (-63_113_904_000, "0001-01-01T00:00:00Z"), (-63_145_526_400, "0000-01-01T00:00:00Z"),
      (-63_145_526_401, "-0001-12-31T23:59:59Z"), (252_423_993_600, "10000-01-01T00:00:00Z"),
      (-31_536_000, "2000-01-02T00:00:00Z"), (-26_524_800, "2000-02-29T00:00:00Z"),
    ] as [(Double, String)])
  func texts(seconds: Double, text: String) {
    #expect(ISODate.text(seconds) == text)
    #expect(ISODate.seconds(text[...]) == seconds)
  }

  /// Every day of some centuries, and days far away.
  @Test func daysThereAndBack() throws {
    for day in Array(-800_000...200_000) + [-1_000_000_000, 1_000_000_000, 11_000_000_000] {
      let seconds = Double(day) * 86400
      let text = try #require(ISODate.text(seconds))
      guard ISODate.seconds(text[...]) == seconds else {
        Issue.record("\(day): \(text)")
        return
      }
    }
  }

  @Test(arguments: [
    "2001-01-01T00:00:00", "200-01-01T00:00:00Z", "2001-1-01T00:00:00Z", "+2001-01-01T00:00:00Z",
    "--001-01-01T00:00:00Z", "2001-01-01 00:00:00Z", "", "-", "12345678901-01-01T00:00:00Z",
  ]) func otherTexts(text: String) {
    #expect(ISODate.seconds(text[...]) == nil)
  }

  @Test(arguments: [Double.nan, .infinity, -1e300]) func datesWithoutText(seconds: Double) {
    #expect(ISODate.text(seconds) == nil)
  }
}
