import Foundation
import PropertyLists
import TestSupport
import Testing

struct ArchiveCommandTests {
  private final class Note: ArchiveCodable {
    static let archiveClass = ArchiveClass("Note", "NSObject")

    init() {}

    func decode(from object: ArchiveObjectDecoder) throws {}

    func encode(into object: inout ArchiveObjectEncoder) {
      object.encode("hello", forKey: "text")
    }
  }

  private let archive: Data

  init() throws {
    archive = Data(try ArchiveEncoder().encode(Note()))
  }

  private let listing = """
    keyed archive by NSKeyedArchiver, version 100000
    root  #1 Note

    #0  nil
    #1  Note < NSObject
        text  #2 "hello"
    #2  "hello"
    #3  class Note < NSObject

    """

  @Test func anArchiveIsShown() throws {
    try Tool.withTemporaryFolder { folder in
      try archive.write(to: folder.appendingPathComponent("Note.archive"))
      let outcome = try Tool.run("archive", "Note.archive", in: folder)
      #expect(outcome.status == 0)
      #expect(outcome.text == listing)
      #expect(outcome.errors.isEmpty)
    }
  }

  @Test func standardInputIsRead() throws {
    let outcome = try Tool.run("archive", "-", input: archive)
    #expect(outcome.text == listing)
  }

  /// A long text that a list names a hundred thousand times isn't listed as often, nor a part of it passed for all.
  @Test(.timeLimit(.minutes(1))) func sharedTextsAreLimited() throws {
    var graph = PropertyListGraph()
    let text = graph.add(string: String(repeating: "a", count: 1 << 20))
    graph.root = graph.add(array: Array(repeating: text, count: 100_000))
    let outcome = try Tool.run("archive", "-", "--format", "plain", input: Data(graph.binary()))
    #expect(outcome.status != 0 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("too many times over"), "\(outcome.errors)")
    let once = try Tool.run("archive", "-", input: Data(graph.binary()))
    #expect(once.status == 0, "\(once.errors)")
  }

  /// The archived values, without the structure of the archive.
  @Test func thePlainFormIsOrdinaryJSON() throws {
    let values: NSDictionary = [
      "name": "Ada", "count": 3, "tags": ["a", "b"] as NSArray,
      "when": Date(timeIntervalSinceReferenceDate: 0), "bytes": Data([1, 2]),
      "id": NSUUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? NSUUID(),
    ]
    let bytes = try NSKeyedArchiver.archivedData(
      withRootObject: values, requiringSecureCoding: false)
    let outcome = try Tool.run("archive", "-", "--format", "plain", input: bytes)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let object = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
    #expect(object?["name"] as? String == "Ada" && object?["count"] as? Int == 3)
    #expect(object?["tags"] as? [String] == ["a", "b"])
    #expect(object?["when"] as? String == "2001-01-01T00:00:00Z")
    #expect(object?["bytes"] as? String == "AQI=")
    #expect(object?["id"] as? String == "00112233-4455-6677-8899-AABBCCDDEEFF")
    let own = try Tool.run("archive", "-", "--format", "plain", input: archive)
    #expect(own.text == "{\n  \"@class\": \"Note\",\n  \"text\": \"hello\"\n}\n")
    let list = try Tool.run(
      "archive", "-", "--format", "plain",
      input: Data(
        "<?xml version=\"1.0\"?><plist><array><true/><real>1.5</real></array></plist>".utf8))
    #expect(list.text == "[\n  true,\n  1.5\n]\n", "\(list.errors)")
  }

  @Test func theJSONFormIsJSON() throws {
    let outcome = try Tool.run("archive", "-", "--format", "json", input: archive)
    let object = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
    #expect(object?["schemaVersion"] as? Int == 1)
    #expect((object?["objects"] as? [Any])?.count == 4)
  }

  @Test func anXMLPropertyListIsAccepted() throws {
    let plist = try PropertyListSerialization.data(
      fromPropertyList: ["key": ["a", "b"]], format: .xml, options: 0)
    let outcome = try Tool.run("archive", "-", input: plist)
    #expect(outcome.status == 0)
    #expect(outcome.text.hasPrefix("property list\nroot  #0\n"))
  }

  @Test func writingGivesTheSameBytes() throws {
    try Tool.withTemporaryFolder { folder in
      let copy = folder.appendingPathComponent("copy")
      let outcome = try Tool.run("archive", "-", "--output", copy.path, input: archive)
      #expect(outcome.status == 0)
      #expect(outcome.output.isEmpty)
      #expect(try Data(contentsOf: copy) == archive)
    }
  }

  @Test(arguments: ["", "not a plist at all", "bplist00", "<?xml version=\"1.0\"?><plist><dict>"])
  func whatIsNoPropertyListIsRefused(input: String) throws {
    let outcome = try Tool.run("archive", "-", input: Data(input.utf8))
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(try #/-(\[byte \d+\])?: error: .+\n/#.wholeMatch(in: outcome.errors) != nil)
  }

  @Test func aTruncatedArchiveIsRefusedAtEveryByte() throws {
    for length in stride(from: 0, to: archive.count, by: 17) {
      let outcome = try Tool.run("archive", "-", input: archive.prefix(length))
      #expect(outcome.status == 2)
      #expect(outcome.errors.hasPrefix("-"))
      #expect(outcome.errors.contains(": error: "))
    }
  }

  @Test func missingFilesAndFoldersAreNamed() throws {
    try Tool.withTemporaryFolder { folder in
      let missing = try Tool.run("archive", "gone.mom", in: folder)
      #expect(missing.status == 2)
      #expect(missing.errors.hasPrefix("gone.mom: error: "))
      let directory = try Tool.run("archive", ".", in: folder)
      #expect(directory.status == 2)
      #expect(directory.errors == ".: error: it is a folder\n")
      let output = try Tool.run(
        "archive", "-", "--output", "no/such/folder", input: archive, in: folder)
      #expect(output.status == 2)
      #expect(output.errors.hasPrefix("no/such/folder: error: "))
    }
  }

  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func realArchivesAreWrittenAsTheyWere() throws {
    let kinds = ["mom", "modelcache-mom", "versioninfo", "cdm"]
    let files = kinds.flatMap { Corpus.files(ofKind: $0).prefix(8) }
    try #require(!files.isEmpty)
    try Tool.withTemporaryFolder { folder in
      let copy = folder.appendingPathComponent("copy")
      for file in files {
        let outcome = try Tool.run("archive", file.url.path, "--output", copy.path)
        #expect(outcome.status == 0, "\(file.path): \(outcome.errors)")
        #expect(try Data(contentsOf: copy) == Data(contentsOf: file.url), "\(file.path)")
      }
    }
  }
}
