import DataModels
import Foundation
import ModelSource
import TestSupport
import Testing

/// The versioned bundles of the corpus with distinct contents.
enum CorpusHistories {
  struct History: Sendable, CustomTestStringConvertible {
    let url: URL
    var testDescription: String {
      String(url.path.dropFirst(Corpus.root.path.count + 1))
    }

    /// The versions that can be read, in natural order.
    func models() throws -> [(name: String, model: NSManagedObjectModel)] {
      try ModelPackage(at: url).versions
        .sorted { $0.name.compare($1.name, options: .numeric) == .orderedAscending }
        .compactMap { version in
          (try? SourceModel(version: version)).map { (version.name, $0.model) }
        }
    }
  }

  /// Every source bundle with more than one version.
  static let sources: [History] = {
    var seen = Set<[String]>()
    var bundles: [String: [String]] = [:]
    for file in Corpus.files where file.path.contains(".xcdatamodeld/") {
      let parts = file.path.components(separatedBy: ".xcdatamodeld/")
      guard parts.count == 2, parts[1].hasSuffix("contents") || parts[1].hasSuffix("elements")
      else { continue }
      bundles[parts[0] + ".xcdatamodeld", default: []].append(file.dup_of ?? file.path)
    }
    return bundles.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
      .filter { seen.insert($0.value.sorted()).inserted }
      .map { History(url: Corpus.root.appendingPathComponent($0.key)) }
  }()
}
