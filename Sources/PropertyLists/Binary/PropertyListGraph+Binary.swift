extension PropertyListGraph {
  /// The graph as a binary property list, byte for byte as Core Foundation writes it.
  ///
  /// Objects are listed depth first from the root, each before the objects it contains, and a dictionary's keys before
  /// its values. Every node is listed once regardless of how often it is used, except for booleans and UIDs: those are
  /// listed at each use, and all uses refer to the first equal one.
  public func binary() -> [UInt8] {
    guard hasNode(root) else { return PropertyListGraph.emptyDictionary.binary() }
    return nodes.withUnsafeBufferPointer { nodes in
      contents.withUnsafeBufferPointer { contents in
        references.withUnsafeBufferPointer { references in
          var listing = BinaryListing(
            nodes: nodes, contents: contents,
            references: UnsafeBufferPointer(rebasing: references[..<referenceCount]), root: root)
          listing.list()
          return listing.write()
        }
      }
    }
  }

  private static let emptyDictionary: PropertyListGraph = {
    var graph = PropertyListGraph()
    graph.root = graph.add(dictionary: EmptyCollection(), values: EmptyCollection())
    return graph
  }()
}
