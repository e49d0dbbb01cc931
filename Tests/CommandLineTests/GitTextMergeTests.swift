import Foundation
import TestSupport
import Testing

/// Files that aren't sources, or can't be read as such, merged by the git driver as texts.
@Suite struct GitTextMergeTests {
  private func merge(
    _ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8], as path: String
  ) throws -> (status: Int32, bytes: [UInt8], errors: String) {
    let folder = try TemporaryFolder()
    for (name, bytes) in [("base", base), ("ours", ours), ("theirs", theirs)] {
      try Data(bytes).write(to: folder.url.appendingPathComponent(name))
    }
    let run = try Tool.run("merge", "--git-driver", "base", "ours", "theirs", path, in: folder.url)
    return (run.status, try Array(Data(contentsOf: folder.file("ours"))), run.errors)
  }

  /// Latin 1 can't be distinguished from UTF-8, of which it is no valid text.
  @Test(arguments: ["\n", "\r\n"]) func bytesOfOtherEncodingsAreKept(lineEnd: String) throws {
    func text(_ lines: [String]) -> [UInt8] {
      [UInt8(ascii: "c"), 0xE9] + lines.map { lineEnd + $0 }.joined().utf8
    }
    for path in ["M.xcdatamodeld/notes.txt", "M.xcdatamodeld/V1.xcdatamodel/contents"] {
      let merged = try merge(
        text(["x", "y", "z", ""]), text(["1", "y", "z", ""]), text(["x", "y", "3", ""]), as: path)
      #expect(merged.status == 0, "\(merged.errors)")
      #expect(merged.bytes == text(["1", "y", "3", ""]))
    }
  }

  @Test func textsOfUTF16AreMerged() throws {
    func text(_ lines: String...) -> [UInt8] {
      [0xFF, 0xFE]
        + lines.joined(separator: "\r\n").utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }
    let merged = try merge(
      text("é", "y", "z", ""), text("é1", "y", "z", ""), text("é", "y", "3", ""),
      as: "M.xcdatamodeld/notes.txt")
    #expect(merged.status == 0, "\(merged.errors)")
    #expect(merged.bytes == text("é1", "y", "3", ""))
  }
}
