import Foundation
import TestSupport
import Testing

/// Merges with the git driver of content that only sources have: comments, unknown attributes and elements, the
/// tools' stamps, the editor's layout, and the files' encoding and line endings. Nothing is lost silently.
@Suite struct SourceMergeTests {
  struct Outcome {
    var status: Int32
    var data: Data
    var errors: String
    var text: String { String(decoding: data, as: UTF8.self) }
  }

  private static let base = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <!--before-->
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
    lastSavedToolsVersion="900" systemVersion="21G72" minimumToolsVersion="Automatic">
        <entity name="Order" syncable="YES" note="n">
            <!--of a-->
            <attribute name="a" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
            <attribute name="b" optional="YES" attributeType="String"/>
            <uniquenessConstraints>
                <uniquenessConstraint>
                    <constraint value="a"/>
                </uniquenessConstraint>
            </uniquenessConstraints>
            <!--inside-->
        </entity>
        <memo>one</memo>
        <elements>
            <element name="Order" positionX="0" positionY="0" width="128" height="44"/>
        </elements>
        <!--last-->
    </model>
    <!--behind-->
    """

  private static func edit(_ edits: [(String, String)], of text: String = base) -> Data {
    Data(
      edits.reduce(text) {
        precondition($0.contains($1.0), $1.0)
        return $0.replacingOccurrences(of: $1.0, with: $1.1)
      }.utf8)
  }

  /// A Float has fewer digits than the Double that facts have of it.
  @Test func floatDefaultsKeepTheirDigits() throws {
    func float(_ name: String, _ value: String) -> String {
      "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"Float\" "
        + "defaultValueString=\"\(value)\"/>\n            "
    }
    let place = "<uniquenessConstraints>"
    let base = Self.edit([(place, float("f", "0.5") + place)])
    let theirs = Self.edit([(place, float("f", "0.1") + float("g", "0.7") + place)])
    let ours = Self.edit([(place, float("f", "0.5") + float("h", "1e-3") + place)])
    let outcome = try merge(ours, theirs, from: base)
    #expect(outcome.status == 0, "\(outcome.errors)")
    for (name, value) in [("f", "0.1"), ("g", "0.7")] {
      let line = try #require(
        outcome.text.split(separator: "\n").first { $0.contains("name=\"\(name)\"") })
      #expect(line.contains("defaultValueString=\"\(value)\""), "\(line)")
    }
    #expect(
      outcome.text.contains(float("h", "1e-3").trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  private func merge(
    _ ours: Data, _ theirs: Data, from base: Data = Data(Self.base.utf8)
  ) throws -> Outcome {
    let folder = try TemporaryFolder()
    for (name, data) in [("base", base), ("ours", ours), ("theirs", theirs)] {
      try data.write(to: folder.url.appendingPathComponent(name))
    }
    let run = try Tool.run(
      "merge", "--git-driver", "base", "ours", "theirs", "M.xcdatamodel/contents", in: folder.url)
    return Outcome(
      status: run.status, data: try Data(contentsOf: folder.url.appendingPathComponent("ours")),
      errors: run.errors)
  }

  private static let addition = (
    "<attribute name=\"b\"", "<attribute name=\"aa\"/>\n<attribute name=\"b\""
  )
  private static let oursMore = (
    "<attribute name=\"b\" optional=\"YES\"", "<attribute name=\"b\""
  )

  /// Both have renamed an entity, one of them with its identifier.
  @Test(arguments: [false, true]) func anEntityThatBothRenamed(isSwapped: Bool) throws {
    let name = "entity name=\"Order\""
    let sides = [
      Self.edit([(name, "entity name=\"Purchase\" elementID=\"Order\"")]),
      Self.edit([
        (name, "entity name=\"Purchase\""), Self.addition,
      ]),
    ]
    let outcome = try merge(sides[isSwapped ? 1 : 0], sides[isSwapped ? 0 : 1])
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.text.contains("<<<<<<<"))
    #expect(outcome.text.contains("elementID=\"Order\""))
    #expect(outcome.text.contains("name=\"aa\""))
  }

  // MARK: What is kept

  @Test(arguments: [
    "<!--before-->", "<!--of a-->", "<!--inside-->", "<!--last-->", "<!--behind-->",
    "<!--of a--><!--second-->", "note=\"n\"", "<memo>one</memo>",
  ])
  func whatIsThereStays(_ text: String) throws {
    let start = Self.edit([("<!--of a-->", "<!--of a--><!--second-->")])
    let ours = Self.edit([Self.oursMore], of: String(decoding: start, as: UTF8.self))
    let theirs = Self.edit(
      [("syncable=\"YES\"", "isAbstract=\"YES\" syncable=\"YES\"")],
      of: String(decoding: start, as: UTF8.self))
    let merged = try merge(ours, theirs, from: start)
    #expect(merged.status == 0, "\(merged.errors)")
    let tight = merged.text.replacingOccurrences(of: "\n", with: "")
      .replacingOccurrences(of: "    ", with: "")
    #expect(tight.contains(text))
    #expect(tight.contains("isAbstract"))
  }

  /// Each is added by either side while the other edits the model, and by both.
  @Test(arguments: [
    ("<!--before-->", "<!--before--><!--new-->", "<!--new-->"),
    ("<!--of a-->", "<!--of a--><!--new-->", "<!--new-->"),
    ("<constraint", "<!--new--><constraint", "<!--new-->"),
    ("<uniquenessConstraint>", "<uniquenessConstraint why=\"new\">", "why=\"new\""),
    ("<uniquenessConstraints>", "<!--new--><uniquenessConstraints>", "<!--new-->"),
    ("<!--inside-->", "<!--inside--><!--new-->", "<!--new-->"),
    ("<!--behind-->", "<!--behind--><!--new-->", "<!--new-->"),
    ("<attribute name=\"a\"", "<attribute name=\"a\" new=\"1\"", "new=\"1\""),
    ("<memo>", "<new/><memo>", "<new/>"), ("<memo>", "<memo>new</memo><memo>", "<memo>new</memo>"),
    ("usesScalarValueType=\"NO\"", "usesScalarValueType=\"YES\"", "usesScalarValueType=\"YES\""),
  ])
  func whatASideAddsIsThere(_ old: String, _ new: String, _ wanted: String) throws {
    let edited = Self.edit([(old, new)])
    let more = Self.edit([
      Self.oursMore,
      (
        "<constraint value=\"a\"/>",
        "<constraint value=\"a\"/></uniquenessConstraint><uniquenessConstraint>"
          + "<constraint value=\"b\"/>"
      ),
    ])
    for (ours, theirs) in [(edited, more), (more, edited)] {
      let merged = try merge(ours, theirs)
      #expect(merged.status == 0, "\(merged.errors)")
      #expect(merged.text.contains(wanted), "\(merged.text)")
      #expect(merged.text.contains("<constraint value=\"b\"/>"))
    }
  }

  @Test func whatIsRenamedKeepsWhatTheOtherSideSaid() throws {
    let renamed = Self.edit([
      ("<entity name=\"Order\"", "<entity name=\"Sale\" elementID=\"Order\""),
      ("<element name=\"Order\"", "<element name=\"Sale\""),
      ("<attribute name=\"a\"", "<attribute name=\"z\" elementID=\"a\""),
      ("<constraint value=\"a\"", "<constraint value=\"z\""),
    ])
    let said = Self.edit([
      ("positionX=\"0\"", "positionX=\"54\""), ("<!--of a-->", "<!--of a--><!--new-->"),
      ("<attribute name=\"a\"", "<attribute name=\"a\" new=\"1\""),
      ("<!--inside-->", "<!--inside--><!--more-->"), ("note=\"n\"", "note=\"m\""),
    ])
    for (ours, theirs) in [(renamed, said), (said, renamed)] {
      let merged = try merge(ours, theirs)
      #expect(merged.status == 0, "\(merged.errors)")
      for wanted in [
        "<entity name=\"Sale\"", "note=\"m\"", "<!--new-->", "<!--more-->", "<!--of a-->",
        "new=\"1\"", "<element name=\"Sale\" positionX=\"54\"", "<attribute name=\"z\"",
      ] {
        #expect(merged.text.contains(wanted), "\(wanted): \(merged.text)")
      }
      #expect(!merged.text.contains("name=\"Order\"") && !merged.text.contains("name=\"a\""))
    }
  }

  /// A property that moves to a new parent keeps the other side's content.
  @Test func whatIsMovedKeepsWhatTheOtherSideSaid() throws {
    let attribute =
      "<attribute name=\"a\" optional=\"YES\" attributeType=\"Integer 64\" usesScalarValueType=\"NO\"/>"
    let moved = Self.edit([
      ("        <!--of a-->\n        \(attribute)\n", ""),
      (
        "    <entity name=\"Order\"",
        "    <entity name=\"Deal\" isAbstract=\"YES\">\n        <!--of a-->\n        \(attribute)\n    "
          + "</entity>\n    <entity name=\"Order\" parentEntity=\"Deal\""
      ),
    ])
    let said = Self.edit([("<!--of a-->", "<!--of a--><!--new-->")])
    for (ours, theirs) in [(moved, said), (said, moved)] {
      let merged = try merge(ours, theirs)
      #expect(merged.status == 0, "\(merged.errors)")
      #expect(merged.text.contains("<!--new-->"), "\(merged.text)")
      #expect(merged.text.components(separatedBy: "name=\"a\"").count == 2)
    }
  }

  // MARK: What is contested

  @Test(arguments: [
    ("note=\"n\"", "note=\"OURS\"", "note=\"THEIRS\"", "Order: note: was \"n\""),
    (
      "note=\"n\"", "note=\"OURS\"", "",
      "Order: note: was \"n\"; ours made it \"OURS\", theirs removed it"
    ),
    ("<!--of a-->", "<!--OURS-->", "<!--THEIRS-->", "Order.a: comments: was"),
    ("<!--before-->", "<!--OURS-->", "<!--THEIRS-->", "model: comments: was"),
    ("<!--behind-->", "<!--OURS-->", "", "model: comments: was"),
    ("<memo>one</memo>", "<memo>OURS</memo>", "<memo>THEIRS</memo>", "model: <memo> text: was"),
    ("<memo>one</memo>", "<memo>OURS</memo>", "", "model: <memo>: was"),
    (
      "name=\"b\"", "name=\"b\" usesScalarValueType=\"NO\"",
      "name=\"b\" usesScalarValueType=\"YES\"",
      "Order.b: usesScalarValueType: both added it"
    ),
    (
      "        <attribute name=\"b\" optional=\"YES\" attributeType=\"String\"/>\n", "",
      "        <!--THEIRS-->\n        <attribute name=\"b\" optional=\"YES\" attributeType=\"String\"/>\n",
      "Order: <attribute> b: was"
    ),
  ])
  func rivalsAreConflicts(
    _ old: String, _ mine: String, _ yours: String, _ message: String
  ) throws {
    let (one, other) = (
      Self.edit([(old, mine)]), Self.edit([(old, yours), Self.oursMoreElsewhere])
    )
    let merged = try merge(one, other)
    #expect(merged.status == 1, "\(merged.text)")
    #expect(merged.errors.contains(message), "\(merged.errors)")
    #expect(merged.text.contains("<<<<<<< ours\n") && merged.text.contains(">>>>>>> theirs"))
    for said in ["OURS", "THEIRS"] where (mine + yours).contains(said) {
      #expect((merged.text + merged.errors).contains(said))
    }
    #expect(try merge(other, one).status == 1)
  }

  private static let oursMoreElsewhere = ("<!--last-->", "<!--last--><!--more-->")

  @Test(arguments: [
    (
      "lastSavedToolsVersion=\"900\"", "lastSavedToolsVersion=\"1000.5\"",
      "lastSavedToolsVersion=\"1000\""
    ),
    ("systemVersion=\"21G72\"", "systemVersion=\"22A1\"", "systemVersion=\"21H9\""),
    (
      "minimumToolsVersion=\"Automatic\"", "minimumToolsVersion=\"Xcode 14.3\"",
      "minimumToolsVersion=\"Xcode 7.0\""
    ),
    ("documentVersion=\"1.0\"", "documentVersion=\"1.10\"", "documentVersion=\"1.9\""),
    ("documentVersion=\"1.0\"", "documentVersion=\"2\"", ""),
  ])
  func ofTheToolsStampsTheNewerIsTaken(_ old: String, _ newer: String, _ other: String) throws {
    let (one, two) = (Self.edit([(old, newer)]), Self.edit([(old, other), Self.oursMore]))
    for (ours, theirs) in [(one, two), (two, one)] {
      let merged = try merge(ours, theirs)
      #expect(merged.status == 0, "\(merged.errors)")
      #expect(merged.text.contains(newer))
    }
  }

  // MARK: Forms

  private static func inForm(
    _ data: Data, _ encoding: String.Encoding, mark: [UInt8] = [], carriageReturns: Bool = false
  ) throws -> Data {
    var text = String(decoding: data, as: UTF8.self)
    if encoding != .utf8 { text = text.replacingOccurrences(of: "UTF-8", with: "UTF-16") }
    if carriageReturns { text = text.replacingOccurrences(of: "\n", with: "\r\n") }
    return Data(mark) + (try #require(text.data(using: encoding)))
  }

  @Test(
    arguments: [
      (String.Encoding.utf16LittleEndian, [0xFF, 0xFE], false),
      (.utf16BigEndian, [0xFE, 0xFF], true), (.utf8, [0xEF, 0xBB, 0xBF], false), (.utf8, [], true),
    ] as [(String.Encoding, [UInt8], Bool)])
  func formsMerge(
    _ encoding: String.Encoding, _ mark: [UInt8], _ carriageReturns: Bool
  ) throws {
    func form(_ data: Data) throws -> Data {
      try Self.inForm(data, encoding, mark: mark, carriageReturns: carriageReturns)
    }
    let (mine, yours) = (Self.edit([("note=\"n\"", "note=\"o\"")]), Self.edit([Self.oursMore]))
    let wanted = Self.edit([("note=\"n\"", "note=\"o\""), Self.oursMore])
    let start = Data(Self.base.utf8)
    let merged = try merge(form(mine), form(yours), from: form(start))
    #expect(merged.status == 0, "\(merged.errors)")
    #expect(try merged.data == form(wanted))
    // Theirs with a different form, which is an edit by their side; and likewise ours.
    #expect(try merge(form(mine), yours, from: form(start)).data == wanted)
    #expect(try merge(form(mine), yours, from: start).data == form(wanted))
    // With conflicts, and with a side that can't be read as a model.
    let rival = Self.edit([("note=\"n\"", "note=\"p\"")])
    let contested = try merge(form(mine), form(rival), from: form(start))
    #expect(contested.status == 1)
    #expect(try contested.data.starts(with: form(Data("<".utf8))))
    #expect(try contested.data.range(of: Self.inForm(Data("<<<<<<< ours".utf8), encoding)) != nil)
    let broken = Self.edit([("Integer 64", "No Such Type"), Self.oursMore])
    let text = try merge(form(mine), form(broken), from: form(start))
    #expect(text.status == 0 && text.errors.contains("merged as text"), "\(text.errors)")
    #expect(
      try text.data
        == form(
          Self.edit([("note=\"n\"", "note=\"o\""), Self.oursMore, ("Integer 64", "No Such Type")])))
  }

  @Test func whatIsNoTextIsSaidToBeNone() throws {
    let binary = Data([0x00, 0x01, 0x02, 0x00, 0xFF])
    let merged = try merge(binary, Self.edit([Self.oursMore]))
    #expect(merged.status != 0 && merged.data == binary)
    #expect(merged.errors.contains("ours isn't text"), "\(merged.errors)")
    #expect(merged.errors.contains("git checkout --ours"))
  }

  // MARK: Models

  @Test func rivalIndexMarksAreShown() throws {
    let one = Self.edit([
      (
        "<attribute name=\"b\"",
        "<attribute name=\"c\" optional=\"YES\" attributeType=\"String\" indexed=\"YES\"/><attribute name=\"b\""
      )
    ])
    let other = Self.edit([
      (
        "<attribute name=\"b\"",
        "<attribute name=\"c\" optional=\"YES\" attributeType=\"String\"/><attribute name=\"b\""
      )
    ])
    let merged = try merge(one, other)
    #expect(
      merged.errors.contains("indexed: both added it: ours says yes, theirs no"), "\(merged.errors)"
    )
  }

  /// An attribute with a new type has the scalar type that a side gave it, or none.
  @Test func aNewTypeBringsNoScalarTypeAlong() throws {
    let retyped = Self.edit([("attributeType=\"String\"", "attributeType=\"Integer 32\"")])
    let other = Self.edit([("note=\"n\"", "note=\"m\"")])
    for (ours, theirs) in [(retyped, other), (other, retyped)] {
      let merged = try merge(ours, theirs)
      #expect(merged.status == 0)
      #expect(
        merged.text.contains(
          "<attribute name=\"b\" optional=\"YES\" attributeType=\"Integer 32\"/>"))
    }
    let rival = Self.edit([("attributeType=\"String\"", "attributeType=\"Double\"")])
    let contested = try merge(retyped, rival)
    #expect(contested.status == 1)
    #expect(
      contested.text.contains("<attribute name=\"b\" optional=\"YES\" attributeType=\"Double\"/>"))
  }

  /// Where branches have several common ancestors, git merges these into a base, which has markers if they conflict.
  @Test func aBaseWithConflictsDecidesNothing() throws {
    let (b, c, d, e) = (
      OrderSource.attribute("b"), OrderSource.attribute("c"), OrderSource.attribute("d"),
      OrderSource.attribute("e")
    )
    let base = """
      <<<<<<< ours
      'Order.b' is contested
      =======
      >>>>>>> theirs

      """
      + OrderSource.contents(["<<<<<<< ours", b, "=======", c, ">>>>>>> theirs"])
      .replacing(/\ +([<=>]{7})/) { $0.output.1 }
    let contested = try merge(
      Data(OrderSource.contents([b, d]).utf8), Data(OrderSource.contents([b, c, e]).utf8),
      from: Data(base.utf8))
    // Of one side of the base, ours removed c; to the other, theirs added it.
    #expect(contested.status == 1, "\(contested.text)")
    #expect(contested.text.contains("<<<<<<<"))
    #expect(contested.errors.contains("several common ancestors"), "\(contested.errors)")
    let (mine, yours) = (
      Data(OrderSource.contents([b, c, d]).utf8), Data(OrderSource.contents([b, c, e]).utf8)
    )
    let unseen = try merge(mine, yours, from: Data(base.utf8))
    #expect(unseen.status == 1, "what a message is about is in no line")
    let start = try #require(base.range(of: "<?xml")).lowerBound
    let agreed = try merge(mine, yours, from: Data(base[start...].utf8))
    #expect(agreed.status == 0, "\(agreed.errors)")
    for name in ["b", "c", "d", "e"] {
      #expect(agreed.text.components(separatedBy: "name=\"\(name)\"").count == 2, "\(name)")
    }
  }

  /// git merge-file exits with the number of conflicts, of which 127 and more looked like a missing command.
  @Test func manyConflictsAreMarked() throws {
    let names = (1...200).map { "a\($0)" }
    func side(_ type: String) -> Data {
      // Git makes one conflict of those with few lines between them.
      let lines = names.flatMap { name in
        [OrderSource.attribute(name, type)]
          + (1...5).map { OrderSource.attribute("between\(name)\($0)") }
      }
      return Data(OrderSource.contents(lines).utf8)
    }
    let merged = try merge(
      side("Integer 32"), side("Integer 64"), from: side("Integer 16"))
    #expect(merged.status == 1, "\(merged.errors.prefix(500))")
    #expect(merged.text.components(separatedBy: "<<<<<<<").count == names.count + 1)
  }

  /// A base that can't be read leaves a merge of texts, which isn't clean if it makes no model.
  @Test func textsThatMergeIntoNoModelConflict() throws {
    let attributes = ["a", "b", "c", "d", "e"].map { OrderSource.attribute($0) }
    let added = OrderSource.attribute("new")
    let broken = OrderSource.contents(attributes, more: "<memo>")
    let merged = try merge(
      Data(OrderSource.contents([added] + attributes).utf8),
      Data(OrderSource.contents(attributes + [added]).utf8), from: Data(broken.utf8))
    #expect(merged.status == 1)
    #expect(merged.text.hasPrefix("<<<<<<< ours\n"))
    #expect(merged.errors.contains("'new'"), "\(merged.errors)")
  }

  /// What an edit removes is no reason to keep an entity that the other side removed.
  @Test func whatBothSidesRemoveIsGone() throws {
    let kept = OrderSource.attribute("b", "Integer 64", more: " usesScalarValueType=\"NO\"")
    let gone = OrderSource.attribute("a", "Integer 64", more: " usesScalarValueType=\"NO\"")
    let other = "    <entity name=\"Item\" syncable=\"YES\">\n        \(gone)\n    </entity>\n"
    func contents(_ more: String) -> Data { Data(OrderSource.contents([kept], more: more).utf8) }
    let edited = contents(other.replacingOccurrences(of: gone, with: ""))
    for (ours, theirs) in [(contents(""), edited), (edited, contents(""))] {
      let merged = try merge(ours, theirs, from: contents(other))
      #expect(merged.status == 0 && merged.errors.isEmpty, "\(merged.errors)")
      #expect(!merged.text.contains("Item") && merged.text.contains(kept))
    }
  }

  @Test func pointersKeepWhatElseTheySay() throws {
    let pointer = OrderSource.pointer("V1")
    let folder = try TemporaryFolder()
    let texts = [
      "base": pointer, "ours": pointer.replacingOccurrences(of: "V1", with: "V2"),
      "theirs": pointer + "<!--new-->\n",
    ]
    for (name, text) in texts {
      try Data(text.utf8).write(to: folder.url.appendingPathComponent(name))
    }
    let run = try Tool.run(
      "merge", "--git-driver", "base", "ours", "theirs", "M.xcdatamodeld/.xccurrentversion",
      in: folder.url)
    let text = try String(contentsOf: folder.url.appendingPathComponent("ours"), encoding: .utf8)
    #expect(run.status == 0 && text.contains("V2.xcdatamodel") && text.contains("<!--new-->"))
  }
}
