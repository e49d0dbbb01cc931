/// The boxes and lines of a group while columns are assigned to them.
struct LayoutGraph {
  struct Node {
    var width: Double
    var height: Double
    /// The distance that loops extend from its right side.
    var reach: Double
  }

  struct Edge {
    /// The line's index among all lines.
    let id: Int
    var from: Int
    var to: Int
    var fromOffset: Double
    var toOffset: Double
    let isHierarchy: Bool
    /// Whether it was reversed in order to lead to the right.
    var isReversed = false

    mutating func reverse() {
      (from, to) = (to, from)
      (fromOffset, toOffset) = (toOffset, fromOffset)
      isReversed.toggle()
    }
  }

  let nodes: [Node]
  var edges: [Edge] = []
  /// The column of each box, starting from 0.
  private(set) var layers: [Int]

  /// The number of boxes above which they are taken in the given order.
  private static let orderingLimit = 4000

  init(nodes: [Node]) {
    self.nodes = nodes
    layers = nodes.map { _ in 0 }
  }

  // MARK: Directions

  /// Reverses lines so that there are no cycles.
  mutating func removeCycles() {
    let order = sequence()
    for index in edges.indices where order[edges[index].from] > order[edges[index].to] {
      edges[index].reverse()
    }
  }

  /// The position of each box in an order with few backward lines: sources come first and sinks last, and between them
  /// those with more outgoing than incoming lines come earlier (Eades, Lin and Smyth).
  private func sequence() -> [Int] {
    guard nodes.count <= Self.orderingLimit else { return Array(nodes.indices) }
    var (outgoing, incoming) = adjacency()
    var (outs, ins) = (nodes.map { _ in 0 }, nodes.map { _ in 0 })
    for edge in edges {
      outs[edge.from] += Self.weight(edge)
      ins[edge.to] += Self.weight(edge)
    }
    var (first, last): ([Int], [Int]) = ([], [])
    var isLeft = nodes.map { _ in true }
    var (sinks, sources): ([Int], [Int]) = ([], [])
    for node in nodes.indices.reversed() {
      if outs[node] == 0 { sinks.append(node) } else if ins[node] == 0 { sources.append(node) }
    }
    func take(_ node: Int) {
      isLeft[node] = false
      for (other, weight) in incoming[node] where isLeft[other] {
        outs[other] -= weight
        if outs[other] == 0 { sinks.append(other) }
      }
      for (other, weight) in outgoing[node] where isLeft[other] {
        ins[other] -= weight
        if ins[other] == 0 { sources.append(other) }
      }
      outgoing[node] = []
      incoming[node] = []
    }
    while first.count + last.count < nodes.count {
      if let node = sinks.popLast() {
        guard isLeft[node] else { continue }
        take(node)
        last.append(node)
      } else if let node = sources.popLast() {
        guard isLeft[node] else { continue }
        take(node)
        first.append(node)
      } else {
        var best = -1
        for node in nodes.indices where isLeft[node] {
          if best < 0 || outs[node] - ins[node] > outs[best] - ins[best] { best = node }
        }
        guard best >= 0 else { break }
        take(best)
        first.append(best)
      }
    }
    var places = nodes.map { _ in 0 }
    for (place, node) in (first + last.reversed()).enumerated() { places[node] = place }
    return places
  }

  private static func weight(_ edge: Edge) -> Int { edge.isHierarchy ? 50 : 1 }

  private func adjacency() -> (out: [[(Int, Int)]], in: [[(Int, Int)]]) {
    var outgoing: [[(Int, Int)]] = nodes.map { _ in [] }
    var incoming: [[(Int, Int)]] = nodes.map { _ in [] }
    for edge in edges {
      outgoing[edge.from].append((edge.to, Self.weight(edge)))
      incoming[edge.to].append((edge.from, Self.weight(edge)))
    }
    return (outgoing, incoming)
  }

  // MARK: Columns

  /// Assigns each box to a column to the right of all boxes that lead to it, close to its neighbours, and splits
  /// columns that would be too high.
  mutating func assignLayers() {
    let order = topologicalOrder()
    var (successors, predecessors): ([[Int]], [[Int]]) = (
      nodes.map { _ in [] }, nodes.map { _ in [] }
    )
    for edge in edges {
      successors[edge.from].append(edge.to)
      predecessors[edge.to].append(edge.from)
    }
    for node in order {
      layers[node] = (predecessors[node].map { layers[$0] + 1 }.max()) ?? 0
    }
    // Move boxes towards their neighbours: those with more neighbours on the right move right as far as possible, and
    // vice versa.
    for round in 0..<4 {
      for node in round.isMultiple(of: 2) ? order.reversed() : order {
        let least = predecessors[node].map { layers[$0] + 1 }.max()
        let most = successors[node].map { layers[$0] - 1 }.min()
        if successors[node].count > predecessors[node].count, let most {
          layers[node] = max(most, least ?? most)
        } else if let least, successors[node].count < predecessors[node].count {
          layers[node] = least
        }
      }
    }
    breakHighLayers(successors.map(\.count), predecessors.map(\.count))
  }

  private func topologicalOrder() -> [Int] {
    var waiting = nodes.map { _ in 0 }
    var successors: [[Int]] = nodes.map { _ in [] }
    for edge in edges {
      waiting[edge.to] += 1
      successors[edge.from].append(edge.to)
    }
    var order = nodes.indices.filter { waiting[$0] == 0 }
    var next = 0
    while next < order.count {
      for node in successors[order[next]] {
        waiting[node] -= 1
        if waiting[node] == 0 { order.append(node) }
      }
      next += 1
    }
    return order
  }

  /// Splits columns that are much higher than the drawing should be, and removes empty ones.
  private mutating func breakHighLayers(_ outs: [Int], _ ins: [Int]) {
    var columns: [Int: [Int]] = [:]
    for node in nodes.indices { columns[layers[node], default: []].append(node) }
    let area = nodes.reduce(0) {
      $0 + ($1.width + LayoutLayers.leastGap) * ($1.height + LayoutLayers.nodeGap)
    }
    let tallest = nodes.map(\.height).max() ?? 0
    let limit = max(tallest, (area / 1.5).squareRoot()) * 1.4
    var column = 0
    for layer in columns.keys.sorted() {
      // Boxes with more outgoing lines are placed closer to the next column.
      let members = (columns[layer] ?? []).sorted {
        (outs[$0] - ins[$0], $0) < (outs[$1] - ins[$1], $1)
      }
      let total = members.reduce(0) { $0 + nodes[$1].height + LayoutLayers.nodeGap }
      let parts = max(1, (total / limit).rounded(.up))
      var filled = 0.0
      for node in members {
        if filled > 0, filled + nodes[node].height / 2 > total / parts {
          column += 1
          filled = 0
        }
        layers[node] = column
        filled += nodes[node].height + LayoutLayers.nodeGap
      }
      column += 1
    }
  }
}
