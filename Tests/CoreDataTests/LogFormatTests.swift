import CoreData
import Testing

/// The texts of `os_log` in ported sources.
@Suite struct LogFormatTests {
  private func text(_ format: String, _ arguments: Any...) -> String {
    String(logFormat: format, arguments: arguments)
  }

  @Test func argumentsAreFilledIn() {
    #expect(text("saved %d of %{public}@: %s", 3, "Item", "done") == "saved 3 of Item: done")
    #expect(
      text("%{private, mask.hash}@ %lld %zu %i", "a", Int64(-7), UInt(8), Int8(9)) == "a -7 8 9")
    #expect(text("%@ %@", [1, 2], Optional<Int>.none as Any) == "[1, 2] (null)")
    #expect(text("100%% of %x %X %#x %o", 255, 255, 16, 8) == "100% of ff FF 0x10 10")
    #expect(text("%x %x", Int8(-1), Int32(-1)) == "ff ffffffff")
    #expect(
      text("%.2f|%8.3f|%-6d|%06.1f|%+d|%5s|%.2s", 1.239, 2.5, 42, -3.25, 5, "ab", "abc")
        == "1.24|   2.500|42    |-003.2|+5|   ab|ab")
    #expect(text("%c%c %.3d %*d", 72, 105, 7, 4, 9) == "Hi 007    9")
  }

  @Test func formatsThatDontMatchAreHarmless() {
    #expect(text("%d and %@", "text", 4) == "text and 4")
    #expect(text("%f", 3) == "3.000000")
    #expect(text("%d", 2.5) == "2.5")
    #expect(text("%@ %s %d") == "<missing> <missing> <missing>")
    #expect(text("nothing", 1, 2) == "nothing")
    for format in [
      "%", "%%%", "%{", "%{public", "%y", "%{public}y", "%.", "%*", "%lll", "a%", "%é", "%-",
    ] {
      #expect(!text(format, 1, 2).isEmpty)
    }
    #expect(text("%y") == "%y")
    #expect(text("%99999999999999999999d", 1).count == 1000)
    #expect(text("%.99999999999999999999f", 1.0).count == 1002)
    #expect(text("%*d", Int.min, 1).hasPrefix("1"))
    #expect(text("%.*f", -5, 1.5) == "1.500000")
  }
}
