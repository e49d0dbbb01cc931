import Foundation
import TestSupport
import Testing

/// Merges with the git driver of what one side removed and the other changed: an editor's "accept ours" and "accept
/// theirs" have to give what that side says.
@Suite struct RemovedElementTests {
  private func merge(
    _ ours: Data, _ theirs: Data, from base: Data
  ) throws -> SourceMergeTests.Outcome {
    let folder = try TemporaryFolder()
    for (name, data) in [("base", base), ("ours", ours), ("theirs", theirs)] {
      try data.write(to: folder.url.appendingPathComponent(name))
    }
    let run = try Tool.run(
      "merge", "--git-driver", "base", "ours", "theirs", "M.xcdatamodel/contents", in: folder.url)
    return SourceMergeTests.Outcome(
      status: run.status, data: try Data(contentsOf: folder.url.appendingPathComponent("ours")),
      errors: run.errors)
  }

  /// Whatever one side removed and the other changed is between markers, also beside other conflicts.
  @Test(arguments: [
    ("attribute", "<attribute name=\"b\" optional=\"YES\" attributeType=\"String\"/>"),
    (
      "index",
      "<fetchIndex name=\"i\"><fetchIndexElement property=\"a\" type=\"Binary\" order=\"ascending\"/></fetchIndex>"
    ),
    (
      "fetched property",
      "<fetchedProperty name=\"f\" optional=\"YES\"><fetchRequest name=\"fetchedPropertyFetchRequest\" entity=\"Order\" predicateString=\"a == 1\"/></fetchedProperty>"
    ),
    ("fetch request", "<fetchRequest name=\"r\" entity=\"Order\" predicateString=\"a == 1\"/>"),
    ("configuration", "<configuration name=\"C\"><memberEntity name=\"Order\"/></configuration>"),
    (
      "entity",
      "<entity name=\"Other\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/></entity>"
    ),
  ]) func whatOneSideRemovedIsMarked(_ kind: String, _ element: String) throws {
    let inside = ["attribute", "index", "fetched property"].contains(kind)
    func source(_ element: String, _ type: String) -> Data {
      Data(
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Order"><attribute name="a" optional="YES" attributeType="\(type)"/>\(inside ? element : "")</entity>
        \(inside ? "" : element)
        </model>
        """.utf8)
    }
    let changes = [
      ("attribute", "\"String\"", "\"Date\""), ("index", "ascending", "descending"),
      ("fetched property", "a == 1", "a == 2"), ("fetch request", "a == 1", "a == 2"),
      ("configuration", "<memberEntity name=\"Order\"/>", ""),
      ("entity", "\"Other\"", "\"Other\" isAbstract=\"YES\""),
    ]
    let change = try #require(changes.first { $0.0 == kind })
    let changed = element.replacingOccurrences(of: change.1, with: change.2)
    for hasOther in [false, true] {
      let types = hasOther ? ("Integer 32", "Integer 64") : ("Integer 16", "Integer 16")
      let gone = source("", types.0)
      let kept = source(changed, types.1)
      for isSwapped in [false, true] {
        let merged = try merge(
          isSwapped ? kept : gone, isSwapped ? gone : kept, from: source(element, "Integer 16"))
        #expect(merged.status == 1, "\(kind): \(merged.text)")
        let name = try #require(element.firstMatch(of: /name="[^"]*"/)).output
        for side in [0, 1] {
          let text = Self.side(side, of: merged.text)
          #expect(
            text.contains(name) == ((side == 0) == isSwapped),
            "\(kind), \(isSwapped): \(merged.text)")
        }
      }
    }
  }

  /// The text with one side of each conflict, as an editor accepts it.
  private static func side(_ side: Int, of text: String) -> String {
    var (result, section): (String, Int?) = ("", nil)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      switch line {
      case _ where line.hasPrefix("<<<<<<<"): section = 0
      case _ where line.hasPrefix("=======") && section == 0: section = 1
      case _ where line.hasPrefix(">>>>>>>"): section = nil
      default: if section == nil || section == side { result += line + "\n" }
      }
    }
    return result
  }
}
