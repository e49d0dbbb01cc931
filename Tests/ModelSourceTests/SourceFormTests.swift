import Foundation
import PropertyLists
import Testing

@testable import ModelSource

/// Sources with the encodings and line endings of various editors and checkouts are read, and written the same way.
@Suite struct SourceFormTests {
  private static let text = """
    <?xml version="1.0" encoding="NAME" standalone="yes"?>
    <!-- before -->
    <model name="Größe 木 🙂">
        <!-- one
             two -->
        <entity name="A"/>
    </model>
    <!-- behind -->
    <!-- at last -->
    """

  private static let forms: [SourceForm] = {
    var forms: [SourceForm] = []
    for encoding: XMLEncoding in [
      .utf8, .utf16(isBigEndian: true), .utf16(isBigEndian: false),
    ] {
      for number in 0..<8 {
        var form = SourceForm()
        form.encoding = encoding
        form.hasByteOrderMark = number & 1 != 0
        form.hasCarriageReturns = number & 2 != 0
        form.endsWithLineFeed = number & 4 != 0
        forms.append(form)
      }
    }
    return forms
  }()

  @Test(arguments: forms) func aSourceIsWrittenInItsForm(_ form: SourceForm) throws {
    let text =
      Self.text.replacingOccurrences(of: "NAME", with: form.encodingName)
      + (form.endsWithLineFeed ? "\n" : "")
    let data = form.data(of: text)
    let source = try SourceModel(data: data)
    #expect(source.document.form == form)
    #expect(source.document.xml == text)
    #expect(SourceWriter(source.model).data == data)
    let (bytes, found) = try SourceForm.read(data)
    #expect(found == form && String(decoding: bytes, as: UTF8.self) == text)
  }

  /// Content that models ignore but other tools use stays where it is.
  @Test func processingInstructionsAreKept() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <?xml-stylesheet href="x.css"?>
      <model name="A">
          <!-- <?no?> -->
          <?tool do <this> -- & that?>
          <entity name="A">
              <?inner?>
          </entity>
      </model>
      <?last word?>
      """
    let source = try SourceModel(data: Data(text.utf8))
    #expect(source.model.entities.map(\.name) == ["A"])
    #expect(source.document.xml == text)
    #expect(SourceWriter(source.model).xml == text)
    #expect(
      SourceDetailListing(source.document).lines == [
        "<?xml-stylesheet href=\"x.css\"?>", "model: name=\"A\"", "<!-- <?no?> -->",
        "<?tool do <this> -- & that?>", "entity A: <?inner?>", "<?last word?>",
      ])
  }

  /// Each aspect is taken from the side that changed it.
  @Test func formsMerge() {
    for base in Self.forms {
      for other in Self.forms {
        #expect(SourceForm.merged(base: base, ours: base, theirs: other) == other)
        #expect(SourceForm.merged(base: base, ours: other, theirs: base) == other)
        #expect(SourceForm.merged(base: base, ours: other, theirs: other) == other)
      }
    }
  }
}
