import DataModels
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Details of the XML store format that the corpus doesn't show.
@Suite struct XMLStoreFormTests {
  private let folder: TemporaryFolder
  private let url: URL
  private let model = AtomicFiles.model()

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("Music.xml")
  }

  private func text() throws -> String {
    String(decoding: try Data(contentsOf: url), as: UTF8.self)
  }

  /// The text between `<databaseInfo>` and the end.
  private func objects() throws -> String {
    let text = try text()
    let start = try #require(text.range(of: "</databaseInfo>\n")?.upperBound)
    return String(text[start...])
  }

  @Test func aNewStoreIsWrittenInCoreDatasForm() throws {
    let context = try AtomicFiles.context(NSXMLStoreType, url, model)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    let song = AtomicFiles.new(
      "Song",
      [
        "name": "a<b> & \"c\\d\"\n\té", "short": -3, "long": 5_000_000_000, "isLoud": true,
        "length": 0.1, "gain": Float(0.3), "price": NSDecimalNumber(string: "12.50"),
        "played": Date(timeIntervalSinceReferenceDate: 445_103_622.25),
        "cover": Data(repeating: 1, count: 180),
        "code": UUID(uuidString: "6F2B8C1E-0000-4000-8000-0123456789AB") as Any,
        "link": URL(string: "https://example.org/?a=1&b=2") as Any,
        "place": ["city": "Ulm", "row": 7] as [String: Any],
      ], context)
    try context.save()
    _ = AtomicFiles.new("Album", ["title": "T", "songs": NSOrderedSet(array: [song])], context)
    try context.save()
    #expect(
      try text().hasPrefix(
        """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo>
                <version>134481920</version>
                <UUID>\(context.persistentStoreCoordinator?.persistentStores[0].identifier ?? "")</UUID>
                <nextObjectID>103</nextObjectID>
                <metadata>
                    <plist version="1.0">
                        <dict>
                            <key>NSPersistenceFrameworkVersion</key>

        """))
    #expect(
      try objects() == """
            <object type="SONG" id="z102">
                <attribute name="short" type="int16">-3</attribute>
                <attribute name="price" type="decimal">12.5</attribute>
                <attribute name="played" type="date">445103622.25000000000000000000</attribute>
                <attribute name="place.city" type="string">Ulm</attribute>
                <attribute name="place.row" type="int16">7</attribute>
                <attribute name="name" type="string">a\\u3c00b\\u3e00 \\u2600 "c\\\\d"
        \té</attribute>
                <attribute name="long" type="int64">5000000000</attribute>
                <attribute name="link" type="uri">https://example.org/?a=1\\u2600b=2</attribute>
                <attribute name="length" type="double">0.1</attribute>
                <attribute name="isloud" type="bool">1</attribute>
                <attribute name="gain" type="float">0.3</attribute>
                <attribute name="cover" type="binary">\(String(repeating: "AQEB", count: 19))
        \(String(repeating: "AQEB", count: 41))
        </attribute>
                <attribute name="code" type="uuid">6F2B8C1E-0000-4000-8000-0123456789AB</attribute>
                <relationship name="album" type="0/1" destination="ALBUM" idrefs="z103"></relationship>
            </object>
            <object type="ALBUM" id="z103">
                <attribute name="title" type="string">T</attribute>
                <relationship name="songs" type="0/0" destination="SONG" idrefs="z102"></relationship>
                <relationship name="tags" type="0/0" destination="TAG"></relationship>
            </object>
        </database>
        """)
  }

  /// As in real files: `a` at `b` the text of `c`.
  @Test(arguments: [
    ("1 < 2", "1 \\u3c00 2"), ("\\w{4}", "\\\\w{4}"), ("（ショップ）", "\\u08ffショップ\\u09ff"),
    ("\u{FEFF}x", "\\ufffex"), ("１", "\\u11ff"), ("新着ブログ ⨀ ♨", "新着ブログ ⨀ ♨"),
    ("👌", "\\u3dd8\\u4cdc"), ("\r\n", "\\u0d00\n"), ("\u{0}\u{1F}", "\\u0000\\u1f00"),
    ("\u{D7FF}\u{E000}", "\u{D7FF}\\u00e0"), ("", ""),
  ]) func textIsEscaped(text: String, escaped: String) {
    var bytes: [UInt8] = []
    XMLStoreText.append(text, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == escaped)
    #expect(XMLStoreText.decode(escaped).utf8.elementsEqual(text.utf8))
  }

  /// With a combining mark behind it, a special character is another one to Swift.
  @Test func namesAreQuotedByScalars() {
    let quoted = XMLStoreText.quoted("<\u{338}&\"\u{301}")
    #expect(quoted.utf8.elementsEqual("&lt;\u{338}&amp;&quot;\u{301}".utf8))
  }

  @Test func whatIsNoEscapeStays() {
    for text in ["\\", "\\u12", "\\x", "a\\uzzzz", "\\u"] {
      #expect(XMLStoreText.decode(text) == text)
    }
  }

  /// A store with unknown and unexpected content.
  private func odd() -> String {
    let hashes = model.entityVersionHashesByName.sorted { $0.key < $1.key }
      .map { "<key>\($0.key)</key><data>\($0.value.base64EncodedString())</data>" }.joined()
    return """
      <?xml version="1.0"?>
      <!-- by hand -->
      <database>
        <databaseInfo><version>134481920</version><UUID>7DFA6DAB-A071-4B34-8DFB-BAC65DD66FDE</UUID>
          <nextObjectID>110</nextObjectID><flavour a="1">sweet <b/></flavour>
          <metadata><plist version="1.0"><dict>
            <key>NSStoreModelVersionHashes</key><dict>\(hashes)</dict></dict></plist></metadata>
        </databaseInfo>
        <!-- the last comes first -->
        <object type="ALBUM" id="z104">
          <attribute name="year" type="int32">1999</attribute>
          <colour>red</colour>
          <attribute name="unheard" type="string">of</attribute>
          <attribute name="title" type="string">&quot;B&#xFC;ro&quot; <!-- c --><![CDATA[<x>]]></attribute>
          <relationship name="songs" type="0/0" destination="SONG" idrefs="z103 z109"/>
        </object>
        <object type="PERSON" id="z102"><attribute name="name" type="string">Ada</attribute></object>
        <!-- of the song --><object type="SONG" id="z103">
          <attribute name="isloud" type="bool">YES</attribute>
          <relationship name="album" type="1/1" destination="ALBUM" idrefs="z104"></relationship></object>
      </database>
      <!-- end -->

      """
  }

  @Test func whatIsNotKnownIsKept() throws {
    let odd = odd()
    try odd.write(to: url, atomically: true, encoding: .utf8)
    let context = try AtomicFiles.context(NSXMLStoreType, url, model)
    let album = try #require(try AtomicFiles.all("Album", context).first)
    let song = try #require(try AtomicFiles.all("Song", context).first)
    #expect(album["title"] as? String == "\"Büro\" <x>")
    #expect(album["year"] as? Int == 1999)
    #expect(song["isLoud"] as? Bool == true)
    #expect(song["album"] as? NSManagedObject === album)
    let tag = AtomicFiles.new("Tag", ["label": "new"], context)
    try context.save()
    #expect(tag.objectID.uriRepresentation().lastPathComponent == "p111")
    var expected = odd.replacing(
      "\n</database>",
      with: """

            <object type="TAG" id="z111">
                <attribute name="label" type="string">new</attribute>
                <relationship name="albums" type="0/0" destination="ALBUM"></relationship>
            </object>
        </database>
        """)
    func afterInfo(_ text: String) -> Substring {
      text[(text.range(of: "</databaseInfo>")?.upperBound ?? text.startIndex)...]
    }
    #expect(try afterInfo(self.text()) == afterInfo(expected))
    #expect(try self.text().contains("        <flavour a=\"1\">sweet <b/></flavour>\n"))
    #expect(try self.text().contains("<nextObjectID>111</nextObjectID>"))
    // A changed object keeps the positions of its parts; new ones come first.
    song["name"] = "N"
    album["year"] = nil
    try context.save()
    expected = expected.replacing(
      """
      <object type="SONG" id="z103">
          <attribute name="isloud" type="bool">YES</attribute>
          <relationship name="album" type="1/1" destination="ALBUM" idrefs="z104"></relationship></object>
      """,
      with: """
        <object type="SONG" id="z103">
                <attribute name="name" type="string">N</attribute>
                <attribute name="isloud" type="bool">1</attribute>
                <relationship name="album" type="0/1" destination="ALBUM" idrefs="z104"></relationship>
            </object>
        """)
    expected = expected.replacing(
      """
      <object type="ALBUM" id="z104">
          <attribute name="year" type="int32">1999</attribute>
          <colour>red</colour>
          <attribute name="unheard" type="string">of</attribute>
          <attribute name="title" type="string">&quot;B&#xFC;ro&quot; <!-- c --><![CDATA[<x>]]></attribute>
          <relationship name="songs" type="0/0" destination="SONG" idrefs="z103 z109"/>
        </object>
      """,
      with: """
        <object type="ALBUM" id="z104">
            <colour>red</colour>
            <attribute name="unheard" type="string">of</attribute>
                <attribute name="title" type="string">"Büro" \\u3c00x\\u3e00</attribute>
                <relationship name="songs" type="0/0" destination="SONG" idrefs="z103 z109"></relationship>
                <relationship name="tags" type="0/0" destination="TAG"></relationship>
            </object>
        """)
    #expect(try afterInfo(self.text()) == afterInfo(expected))
    // A comment isn't deleted together with the object after it.
    context.delete(song)
    try context.save()
    #expect(try self.text().contains("<!-- of the song -->"))
    #expect(try !self.text().contains("z103\">"))
    #expect(try self.text().contains("idrefs=\"z109\""))
  }

  @Test(arguments: [
    ("<UUID>7DFA6DAB-A071-4B34-8DFB-BAC65DD66FDE</UUID>", "", "UUID", 5),
    ("134481920", "1", "version", 5), ("id=\"z103\"", "id=\"z104\"", "two objects", 18),
    ("id=\"z103\"", "id=\"103\"", "'103'", 18), ("id=\"z103\"", "", "lacks", 18),
    ("1999", "99999999999", "int32", 12), ("1999", "", "int32", 12), ("YES", "maybe", "bool", 19),
    (
      "<colour>red</colour>", "<attribute name=\"year\" type=\"int32\">1</attribute>", "two values",
      13
    ),
    ("<colour>red</colour>", "<colour>red", "closes nothing", 17),
    ("idrefs=\"z104\"", "idrefs=\"z104 z103\"", "refers to 2", 20),
    ("idrefs=\"z104\"", "idrefs=\"z103\"", "another entity", 20),
    ("idrefs=\"z104\"", "idrefs='x'", "'x'", 20),
    ("name=\"songs\"", "name=\"title\"", "twice", 16),
    ("name=\"isloud\"", "name=\"album\"", "is a relationship", 19),
    ("&quot;", "&lol;", "&lol;", 15), ("</database>", "", "not closed", 22),
    ("<!-- by hand -->", "<!DOCTYPE database [<!ENTITY lol \"lol\">]>", "declarations", 2),
    ("<nextObjectID>110", "<nextObjectID>many", "number", 6),
    ("<nextObjectID>110", "<nextObjectID>1000000000000000000", "number", 6),
    ("<nextObjectID>110", "<nextObjectID>4611686018427387903", "number", 6),
    ("<nextObjectID>110", "<nextObjectID>99999999999999999999", "number", 6),
    ("<nextObjectID>110", "<nextObjectID>-5", "number", 6),
    ("id=\"z103\"", "id=\"z1000000000000000000\"", "'z1000000000000000000'", 18),
    ("type=\"int32\">1999", "type=\"int32\">2147483648", "int32", 12),
    ("<?xml version=\"1.0\"?>", "<?xml version=\"1.0\" encoding=\"latin1\"?>", "latin1", 1),
    ("<object type=\"PERSON\"", "<person", "an element of an XML store", 18),
  ]) func damageIsRefusedWithItsPlace(
    old: String, new: String, words: String, line: Int
  ) throws {
    let damaged = odd().replacing(old, with: new, maxReplacements: 1)
    try damaged.write(to: url, atomically: true, encoding: .utf8)
    let error = #expect(throws: NSError.self) {
      try AtomicFiles.context(NSXMLStoreType, url, model)
    }
    #expect(error?.code == CocoaError.fileReadCorruptFile.rawValue)
    #expect(
      error?.localizedDescription.contains(words) == true, "\(error?.localizedDescription ?? "")")
    let found = error?.userInfo["line"] as? Int ?? 0
    #expect(abs(found - line) <= 1, "\(found): \(error?.localizedDescription ?? "")")
    #expect(try text() == damaged)
  }

  /// No number is given that couldn't be read again.
  @Test func thereAreNoNumbersBehindTheLast() throws {
    let full = odd().replacing("<nextObjectID>110", with: "<nextObjectID>999999999999999998")
    try full.write(to: url, atomically: true, encoding: .utf8)
    let context = try AtomicFiles.context(NSXMLStoreType, url, model)
    let last = AtomicFiles.new("Tag", ["label": "last"], context)
    try context.save()
    #expect(last.objectID.uriRepresentation().lastPathComponent == "p999999999999999999")
    let present = try text()
    _ = AtomicFiles.new("Tag", ["label": "one more"], context)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.localizedDescription.contains("run out") == true)
    #expect(try text() == present)
    let again = try AtomicFiles.context(NSXMLStoreType, url, model)
    #expect(try AtomicFiles.all("Tag", again).contains { $0["label"] as? String == "last" })
  }

  @Test func deepElementsAreRefused() throws {
    let deep = String(repeating: "<a>", count: 100_000)
    try odd().replacing("<colour>red</colour>", with: deep).write(
      to: url, atomically: true, encoding: .utf8)
    let error = #expect(throws: NSError.self) {
      try AtomicFiles.context(NSXMLStoreType, url, model)
    }
    #expect(error?.localizedDescription.contains("deep") == true)
  }

  @Test func namesThatCannotBeToldApartAreRefused() throws {
    for names in [["Song", "SONG"], ["a"]] {
      let entities = names.map { name -> NSEntityDescription in
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties =
          names.count > 1
          ? []
          : ["one", "ONE"].map {
            attribute($0, .stringAttributeType)
          }
        return entity
      }
      let model = NSManagedObjectModel()
      model.entities = entities
      let error = #expect(throws: NSError.self) {
        try AtomicFiles.context(NSXMLStoreType, url, model)
      }
      #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
      _ = try AtomicFiles.context(NSBinaryStoreType, folder.file("b"), model)
    }
  }

  @Test func datesKeepEveryBit() throws {
    let context = try AtomicFiles.context(NSXMLStoreType, url, model)
    let seconds: [Double] = [
      301_694_077.684666, 1e-9, 1e-30, -0.1, 0, 1e300, .infinity, .leastNonzeroMagnitude,
    ]
    for (index, second) in seconds.enumerated() {
      _ = AtomicFiles.new(
        "Song",
        [
          "short": index, "played": Date(timeIntervalSinceReferenceDate: second),
          "length": second, "price": NSDecimalNumber(string: "\(index).000000001"),
        ], context)
    }
    try context.save()
    #expect(try text().contains(">301694077.68466597795486450195<"))
    let again = try AtomicFiles.context(NSXMLStoreType, url, model)
    let songs = try AtomicFiles.all("Song", again, sortedBy: "short")
    #expect(songs.map { ($0["played"] as? Date)?.timeIntervalSinceReferenceDate } == seconds)
    #expect(songs.map { $0["length"] as? Double } == seconds)
    #expect((songs[3]["price"] as? NSDecimalNumber)?.stringValue == "3.000000001")
  }
}
