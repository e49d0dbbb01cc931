import Foundation
import Testing

/// Real files created by Apple's tools, if they are beside the checkout.
///
/// Found by the environment variable `MOMKIT_CORPUS`, else at `../shared/corpus` from the package
/// root. Tests that need it carry `.enabled(if: Corpus.isPresent, Corpus.absence)`.
public enum Corpus {
  /// A row of `manifest.json`.
  public struct File: Decodable, Sendable, CustomTestStringConvertible {
    /// The path relative to the corpus folder.
    public let path: String
    /// What the file is: `mom`, `omo`, `versioninfo`, ….
    public let kind: String
    /// The path of an identical file listed earlier.
    public let dup_of: String?

    /// The location of the file.
    public var url: URL { Corpus.root.appendingPathComponent(path) }
    /// The path, for the names of test cases.
    public var testDescription: String { path }
  }

  /// The package's own root folder.
  public static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folder of the corpus.
  public static let root: URL =
    ProcessInfo.processInfo.environment["MOMKIT_CORPUS"].map { URL(fileURLWithPath: $0) }
    ?? packageRoot.appendingPathComponent("../shared/corpus").standardizedFileURL

  /// The folder of the independent oracles.
  public static let tools = packageRoot.appendingPathComponent("../shared/tools")
    .standardizedFileURL

  /// Whether the corpus is available.
  public static let isPresent = FileManager.default.fileExists(
    atPath: root.appendingPathComponent("manifest.json").path)

  /// The comment of a skipped test.
  public static let absence: Comment =
    "no corpus: set MOMKIT_CORPUS, or put shared/corpus beside the package"

  /// Every file of the manifest, in its order.
  public static let files: [File] = {
    guard
      let data = try? Data(contentsOf: root.appendingPathComponent("manifest.json")),
      let files = try? JSONDecoder().decode([File].self, from: data)
    else { return [] }
    return files
  }()

  /// The distinct files of one kind, as `manifest.json` names kinds.
  public static func files(ofKind kind: String) -> [File] {
    files.filter { $0.kind == kind && ($0.dup_of ?? "").isEmpty }
  }
}
