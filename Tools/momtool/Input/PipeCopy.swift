import Foundation
import PropertyLists

/// What a pipe gave, such as `<(git show main:Shop.mom)` in a shell, in a temporary folder that is deleted with this
/// object: a model is read more than once, a pipe isn't.
final class PipeCopy: InputCopy {
  let url: URL
  private let folder: TemporaryFolder

  /// Reads a pipe to its end; nil when the path is that of anything else.
  ///
  /// - Throws: An error of the file system.
  init?(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    let bytes = try FileBytes.readPipe(path)
    folder = try TemporaryFolder()
    url = folder.url.appendingPathComponent("model")
    try Data(bytes).write(to: url)
  }
}

/// One of the files of a folder that was copied.
final class CopiedPart: InputCopy {
  let url: URL
  private let whole: any InputCopy

  /// - Parameters:
  ///   - url: The location of the file.
  ///   - whole: The copy of the folder, which exists as long as this object.
  init(_ url: URL, of whole: any InputCopy) {
    self.url = url
    self.whole = whole
  }
}

/// Temporary files that stand for an input and exist as long as the object.
protocol InputCopy: AnyObject {
  /// The location of the files.
  var url: URL { get }
}
