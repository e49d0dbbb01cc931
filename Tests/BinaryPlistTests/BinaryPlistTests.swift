import BinaryPlist
import TestSupport
import Testing

@Suite struct CorpusRoundTripTests {
  @Test(
    "Real files come out as they went in", .enabled(if: Corpus.isPresent, Corpus.absence),
    arguments: ["mom", "modelcache-mom", "versioninfo", "cdm"])
  func rewriting(kind: String) throws {
    for file in Corpus.files(ofKind: kind) {
      let bytes = try FileBytes.read(file.url.path)
      guard BinaryPropertyList.hasMagic(bytes) else { continue }
      let list = try BinaryPropertyList(bytes)
      #expect(PropertyListGraph(list).binary() == bytes, "\(file.path)")
    }
  }
}

@Suite struct XMLTests {
  @Test func everyType() throws {
    let xml = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><array><true/><false/><integer>1</integer><integer>-3</integer><integer>18446744073709551615</integer><real>1.5</real><real>2</real>
      <string>a é</string><data>AQI=</data><date>2001-01-01T00:00:10Z</date><dict><key>CF$UID</key><integer>7</integer></dict></array></plist>
      """
    let list = try BinaryPropertyList(anyForm: Array(xml.utf8))
    let values = try #require(list.elements(at: list.top)).map { list.value(at: $0) }
    #expect(
      values == [
        .boolean(true), .boolean(false), .integer(1, width: 1), .integer(-3, width: 8),
        .integer(18_446_744_073_709_551_615, width: 16), .double(1.5), .double(2),
        .string("a é"), .data([1, 2]), .date(10), .uid(7),
      ])
  }
}
