import Testing

@testable import PropertyLists

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

  @Test(
    arguments: [
      ("<string>a&lt;b&gt;&amp;&quot;&apos;&#233;&#x1F642;</string>", .string("a<b>&\"'é🙂")),
      ("<string><![CDATA[<a>&amp;]]>b</string>", .string("<a>&amp;b")),
      ("<string>a<!-- no -->b</string>", .string("ab")),
      ("<string/>", .string("")),
      ("<string> kept </string>", .string(" kept ")),
      ("<integer> 0x1F </integer>", .integer(31, width: 1)),
      ("<integer>+65536</integer>", .integer(65536, width: 4)),
      ("<data>\n AQ ID\n BA==\n</data>", .data([1, 2, 3, 4])),
      ("<dict><key>CF$UID</key><string>1</string></dict>", .dictionary(keys: [1], values: [2])),
      ("<dict><key>CF$UID</key><integer>-1</integer></dict>", .dictionary(keys: [1], values: [2])),
    ] as [(String, PropertyListValue)])
  func values(xml: String, expected: PropertyListValue) throws {
    let list = try BinaryPropertyList(anyForm: Array("<plist>\(xml)</plist>".utf8))
    #expect(list.value(at: list.top) == expected)
  }

  @Test func theOrderOfADictionaryIsTheFilesOrder() throws {
    let xml = "<plist><dict><key>z</key><true/><key>a</key><false/></dict></plist>"
    let list = try BinaryPropertyList(anyForm: Array(xml.utf8))
    #expect(list.dictionary(at: list.top)?.keys.map { list.string(at: $0) } == ["z", "a"])
  }

  @Test(arguments: [
    ("<plist>", "byte 7: <plist> is not closed"),
    ("<array/>", "byte 8: not a property list: the first element is not <plist>"),
    ("<plist><true/><true/></plist>", "byte 21: <plist> contains a second value"),
    ("<plist></plist>", "byte 15: </plist> comes too early"),
    ("<plist><true/></plist><a/>", "byte 26: there is something after </plist>"),
    ("<plist><integer>1x</integer></plist>", "byte 28: <integer> contains no such value: 1x"),
    ("<plist><real>nope</real></plist>", "byte 24: <real> contains no such value: nope"),
    (
      "<plist><date>2001-13-01T00:00:00Z</date></plist>",
      "byte 40: <date> contains no such value: 2001-13-01T00:00:00Z"
    ),
    ("<plist><data>A</data></plist>", "byte 21: <data> contains no such value: A"),
    ("<plist><dict><true/></dict></plist>", "byte 20: a value in a <dict> has no <key>"),
    ("<plist><dict><key>a</key></dict></plist>", "byte 32: a <key> has no value"),
    ("<plist><key>a</key></plist>", "byte 19: <key> is out of place"),
    ("<plist><array></dict></plist>", "byte 21: </dict> closes nothing"),
    ("<plist><set/></plist>", "byte 13: <set> isn't an element of a property list"),
    ("<plist>text</plist>", "byte 7: text where a tag should be"),
    ("<plist><string>&lol;</string></plist>", "byte 15: &lol; is not known here"),
    ("<plist><string>&#xD800;</string></plist>", "byte 15: &#xD800; is not known here"),
    ("<plist><string>& </string></plist>", "byte 15: & without ;"),
    ("<plist><string>", "byte 15: <string> is not closed"),
    ("<plist><!-- ", "byte 7: <!-- without -->"),
    (
      "<!DOCTYPE plist [<!ENTITY a \"aa\">]><plist/>",
      "byte 0: a document type with declarations of its own; remove it"
    ),
    ("<!ENTITY a><plist/>", "byte 0: an unknown declaration"),
  ])
  func errorsSayWhatAndWhere(xml: String, text: String) {
    let error = #expect(throws: PropertyListError.self) {
      try BinaryPropertyList(anyForm: Array(xml.utf8))
    }
    #expect(error?.description == text)
    #expect(error?.code == .malformedXML)
  }

  @Test(arguments: [false, true], [false, true])
  func aFileInUTF16IsRead(isBigEndian: Bool, hasMark: Bool) throws {
    let xml = """
      <?xml version="1.0" encoding="UTF-16"?>
      <plist><array><string>é 🙂</string></array></plist>
      """
    let units = Array(((hasMark ? "\u{FEFF}" : "") + xml).utf16)
    let bytes = units.flatMap { unit in
      let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
      return isBigEndian ? [high, low] : [low, high]
    }
    #expect(XMLPropertyList.looksLikeXML(bytes))
    let list = try BinaryPropertyList(anyForm: bytes)
    #expect(list.elements(at: list.top)?.map { list.string(at: $0) } == ["é 🙂"])

    let odd = #expect(throws: PropertyListError.self) {
      try BinaryPropertyList(anyForm: bytes + [0])
    }
    #expect(odd?.code == .malformedXML)
    #expect(odd?.message == "the file is in UTF-16 and ends in the middle of a character")
    let half: [UInt8] = isBigEndian ? [0xD8, 0x00] : [0x00, 0xD8]
    let broken = #expect(throws: PropertyListError.self) {
      try BinaryPropertyList(anyForm: bytes + half)
    }
    #expect(broken?.message == "the file is in UTF-16 and contains half a surrogate pair")
  }

  @Test func whatIsNoXMLIsNotTakenForIt() {
    #expect(!XMLPropertyList.looksLikeXML([]))
    #expect(!XMLPropertyList.looksLikeXML([0xFE, 0xFF]))
    #expect(!XMLPropertyList.looksLikeXML([0xFF, 0xFE, 0x41]))
    #expect(!XMLPropertyList.looksLikeXML([0xFF, 0xFE, 0x41, 0x00]))
    #expect(XMLPropertyList.looksLikeXML([0xFF, 0xFE, 0x0A, 0x00, 0x3C, 0x00]))
  }

  @Test func nestingIsLimited() {
    for tag in ["array", "dict"] {
      let open = tag == "dict" ? "<dict><key>a</key>" : "<array>"
      let xml = "<plist>" + String(repeating: open, count: 100_000)
      let error = #expect(throws: PropertyListError.self) {
        try BinaryPropertyList(anyForm: Array(xml.utf8))
      }
      #expect(error?.message == "containers nest more than 128 deep")
    }
  }

  /// Many members take time proportional to their number.
  @Test(.timeLimit(.minutes(1))) func manyMembersAreRead() throws {
    let xml =
      "<plist><array>" + String(repeating: "<true/>", count: 200_000) + "</array></plist>"
    let list = try BinaryPropertyList(anyForm: Array(xml.utf8))
    #expect(list.elements(at: list.top)?.count == 200_000)
  }
}
