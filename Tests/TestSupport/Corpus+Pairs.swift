import Foundation

extension Corpus {
  /// A row of `pairs.json`: a source and the model that Apple's compiler built from it.
  public struct Pair: Decodable, Sendable {
    /// `mom`, or `modelcache-mom` for a model from a store.
    public let kind: String
    public let mom: String
    public let source: String
    public let versioninfo: String?

    public var momURL: URL { Corpus.root.appendingPathComponent(mom) }
    public var sourceURL: URL { Corpus.root.appendingPathComponent(source) }
  }

  /// The exact pairs of one kind, in the order of `pairs.json`.
  public static func pairs(ofKind kind: String) -> [Pair] {
    guard
      let data = try? Data(contentsOf: root.appendingPathComponent("pairs.json")),
      let pairs = try? JSONDecoder().decode([Pair].self, from: data)
    else { return [] }
    return pairs.filter { $0.kind == kind }
  }
}
