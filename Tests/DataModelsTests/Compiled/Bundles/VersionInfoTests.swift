import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

@Suite struct VersionInfoTests {
  /// Every real file can be read; those created by a 64-bit momc are reproduced byte for byte.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func realFilesAreWrittenAsTheyWere() throws {
    var same = 0
    for file in Corpus.files(ofKind: "versioninfo") {
      let bytes = try FileBytes.read(file.url.path)
      let info = try VersionInfo(bytes)
      #expect(!info.versions.isEmpty, "\(file.path)")
      let isByMomc = try BinaryPropertyList.hasMagic(bytes) && !Self.is32Bit(file)
      if isByMomc { #expect(info.encoded() == bytes, "\(file.path)") }
      if info.encoded() == bytes { same += 1 }
      let again = try VersionInfo(info.encoded())
      #expect(again.versions == info.versions)
      #expect(again.currentVersionName == info.currentVersionName)
    }
    #expect(same > 30)
  }

  /// Whether the models next to the file are from the 32-bit momc, whose dictionaries have another order: its
  /// archives begin with `$top`.
  private static func is32Bit(_ file: Corpus.File) throws -> Bool {
    let bundle = try ModelBundle(at: file.url.deletingLastPathComponent().path)
    let name = try #require(bundle.versionNames.first)
    let list = try BinaryPropertyList(contentsOf: bundle.path(ofVersion: name))
    let keys = try #require(list.dictionary(at: list.top)?.keys)
    return list.string(at: keys[0]) == "$top"
  }

  @Test func unknownKeysAreKept() throws {
    let text = """
      <?xml version="1.0"?><plist version="1.0"><dict>
      <key>Mine</key><array><string>a</string><dict><key>b</key><integer>3</integer></dict></array>
      <key>NSManagedObjectModel_CurrentVersionName</key><string>Two words</string>
      <key>NSManagedObjectModel_VersionHashes</key>
      <dict><key>Two words</key><dict><key>E</key><data>AAEC</data></dict></dict>
      </dict></plist>
      """
    let info = try VersionInfo(Array(text.utf8))
    #expect(info.currentVersionName == "Two words")
    #expect(info.currentVersion?.entityHashes == ["E": Data([0, 1, 2])])
    #expect(info.currentVersion?.checksum == nil)
    let list = try BinaryPropertyList(info.encoded())
    let mine = try #require(list.value(forKey: "Mine", ofDictionary: list.top))
    let members = try #require(list.elements(at: mine))
    #expect(list.string(at: members[0]) == "a")
    let three = try #require(list.value(forKey: "b", ofDictionary: members[1]))
    #expect(list.integer(at: three) == 3)
    #expect(try VersionInfo(info.encoded()).encoded() == info.encoded())
  }

  @Test(arguments: [
    ("<plist><array/></plist>", "expected a dictionary, found array"),
    (
      "<plist><dict><key>NSManagedObjectModel_VersionHashes</key><string>x</string></dict></plist>",
      "expected a dictionary, found string"
    ),
    (
      """
      <plist><dict><key>NSManagedObjectModel_VersionHashes</key><dict><key>V</key><dict>
      <key>E</key><integer>1</integer></dict></dict></dict></plist>
      """, "expected data, found integer"
    ),
    ("nonsense", "binary property list"),
  ])
  func unsoundFilesAreRefused(text: String, message: String) {
    let error = #expect(throws: ModelFileError.self) { try VersionInfo(Array(text.utf8)) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}
