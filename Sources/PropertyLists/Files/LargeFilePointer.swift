/// What Git LFS leaves in the place of a file that it hasn't fetched: a text of three lines.
package enum LargeFilePointer {
  private static let start = Array("version https://git-lfs.github.com/spec/".utf8)

  /// Whether a file's bytes are a pointer's.
  package static func isPointer(_ bytes: [UInt8]) -> Bool { bytes.starts(with: start) }

  /// What to tell besides an error about such a file.
  package static let advice = "; Git LFS keeps its contents: git lfs pull fetches them"
}
