/// The columns of a group: boxes and the points where lines pass through, ordered from top to bottom.
struct LayoutLayers {
  /// The space between two boxes of a column.
  static let nodeGap = 30.0
  /// The space between two columns with few lines between them.
  static let leastGap = 78.0
  /// The space between a passing line and its neighbours.
  private static let lineGap = 9.0

  /// A segment of a line, between two neighbouring columns.
  struct Link {
    let left: Int
    let right: Int
    let leftOffset: Double
    let rightOffset: Double
    let weight: Double
  }

  let graph: LayoutGraph
  /// The items of each column; boxes are identified by index, passing lines by the numbers after them.
  private(set) var columns: [[Int]]
  /// The line segments to the right of each column.
  private(set) var links: [[Link]]
  /// The items that each line passes through, in column order.
  private var passes: [[Int]]
  private(set) var heights: [Double]
  private var layerOf: [Int]
  /// The positions of the items.
  private(set) var tops: [Double]
  private(set) var lefts: [Double]
  private var columnLeft: [Double] = []
  private var columnRight: [Double] = []

  init(_ graph: LayoutGraph) {
    self.graph = graph
    let count = (graph.layers.max() ?? 0) + 1
    columns = Array(repeating: [], count: count)
    links = Array(repeating: [], count: count)
    heights = graph.nodes.map(\.height)
    layerOf = graph.layers
    passes = []
    for node in graph.nodes.indices { columns[graph.layers[node]].append(node) }
    for edge in graph.edges {
      var items: [Int] = []
      var (previous, offset) = (edge.from, edge.fromOffset)
      let (first, last) = (graph.layers[edge.from], graph.layers[edge.to])
      for layer in first..<max(first, last) {
        let isLast = layer + 1 == last
        var item = edge.to
        if !isLast {
          item = heights.count
          heights.append(0)
          layerOf.append(layer + 1)
          columns[layer + 1].append(item)
          items.append(item)
        }
        let inner = (previous >= graph.nodes.count ? 1 : 0) + (isLast ? 0 : 1)
        links[layer].append(
          Link(
            left: previous, right: item, leftOffset: offset,
            rightOffset: isLast ? edge.toOffset : 0,
            weight: [1, 2, 8][inner] * (edge.isHierarchy ? 1.6 : 1)))
        (previous, offset) = (item, 0)
      }
      passes.append(items)
    }
    tops = heights.map { _ in 0 }
    lefts = tops
  }

  private func isLine(_ item: Int) -> Bool { item >= graph.nodes.count }

  // MARK: Order

  /// Orders the columns so that few lines cross: each item by the mean of its neighbours, sweeping right and left
  /// repeatedly, and keeping the best order found.
  mutating func reduceCrossings() {
    guard columns.count > 1 else { return }
    let size = max(heights.count + links.joined().count, 1)
    // The total work is independent of the size, so small drawings get many rounds.
    let rounds = min(28, max(4, 1_500_000 / size))
    startFromConnections()
    var positions = heights.map { _ in 0 }
    func note(_ column: [Int]) {
      for (place, item) in column.enumerated() { positions[item] = place }
    }
    columns.forEach(note)
    var best = (crossings: crossings(positions), columns: columns)
    var stale = 0
    for round in 0..<rounds where best.crossings > 0 && stale < 6 {
      let toRight = round.isMultiple(of: 2)
      for layer in toRight ? Array(1..<columns.count) : (0..<columns.count - 1).reversed() {
        sort(layer, by: positions, fromLeft: toRight, reversingTies: round % 4 > 1)
        note(columns[layer])
      }
      let count = crossings(positions)
      if count < best.crossings {
        best = (count, columns)
        stale = 0
      } else {
        stale += 1
      }
    }
    columns = best.columns
  }

  /// Starts with neighbours close together, by a breadth-first traversal from the box with the most lines.
  private mutating func startFromConnections() {
    var neighbours: [[Int]] = heights.map { _ in [] }
    for link in links.joined() {
      neighbours[link.left].append(link.right)
      neighbours[link.right].append(link.left)
    }
    var rank = heights.map { _ in -1 }
    var queue: [Int] = []
    var next = 0
    let starts = graph.nodes.indices.sorted {
      (-neighbours[$0].count, $0) < (-neighbours[$1].count, $1)
    }
    for start in starts where rank[start] < 0 {
      rank[start] = queue.count
      queue.append(start)
      while next < queue.count {
        for item in neighbours[queue[next]] where rank[item] < 0 {
          rank[item] = queue.count
          queue.append(item)
        }
        next += 1
      }
    }
    for layer in columns.indices { columns[layer].sort { rank[$0] < rank[$1] } }
  }

  private mutating func sort(
    _ layer: Int, by positions: [Int], fromLeft: Bool, reversingTies: Bool
  ) {
    var sums: [Int: (total: Double, weight: Double)] = [:]
    for link in links[fromLeft ? layer - 1 : layer] {
      let (own, other) = fromLeft ? (link.right, link.left) : (link.left, link.right)
      let offset = fromLeft ? link.leftOffset : link.rightOffset
      let place = Double(positions[other]) + offset / max(heights[other] + 1, 1)
      sums[own, default: (0, 0)].total += place
      sums[own, default: (0, 0)].weight += 1
    }
    let column = columns[layer]
    // Items without a neighbour on this side keep their position among the others.
    var sorted = column.enumerated().compactMap { place, item in
      sums[item].map {
        (key: $0.total / $0.weight, tie: reversingTies ? -place : place, item: item)
      }
    }.sorted { ($0.key, $0.tie) < ($1.key, $1.tie) }.makeIterator()
    columns[layer] = column.map { sums[$0] == nil ? $0 : sorted.next()?.item ?? $0 }
  }

  /// The number of line crossings, by the heights at which lines leave and reach items.
  private func crossings(_ positions: [Int]) -> Int {
    var total = 0
    for layer in links.indices where links[layer].count > 1 {
      let ends = links[layer].map { link in
        (
          left: Double(positions[link.left]) + link.leftOffset / (heights[link.left] + 1),
          right: Double(positions[link.right]) + link.rightOffset / (heights[link.right] + 1)
        )
      }.sorted { ($0.left, $0.right) < ($1.left, $1.right) }
      let ranks = ends.indices.sorted { (ends[$0].right, $0) < (ends[$1].right, $1) }
      var places = ends.map { _ in 0 }
      for (rank, index) in ranks.enumerated() { places[index] = rank }
      // Counts the earlier lines that end further down, using a Fenwick tree.
      var tree = Array(repeating: 0, count: ends.count + 1)
      for (seen, place) in places.enumerated() {
        var (above, node) = (0, place + 1)
        while node > 0 {
          above += tree[node]
          node -= node & -node
        }
        total += seen - above
        node = place + 1
        while node <= ends.count {
          tree[node] += 1
          node += node & -node
        }
      }
    }
    return total
  }

  // MARK: Coordinates

  /// Assigns positions: columns beside each other, and the items of each column as close to the ideal position for
  /// their lines as the other items allow.
  mutating func assignCoordinates() {
    var x = 0.0
    for (layer, column) in columns.enumerated() {
      let width = column.map { isLine($0) ? 0 : graph.nodes[$0].width + graph.nodes[$0].reach }
        .max()
      for item in column { lefts[item] = x }
      columnLeft.append(x)
      x += width ?? 0
      columnRight.append(x)
      x += Self.leastGap + min(110, Double(links[layer].count) * 1.8)
      stack(layer)
    }
    for round in 0..<22 {
      let toRight = round.isMultiple(of: 2)
      let both = round > 9
      for layer in toRight ? Array(columns.indices) : columns.indices.reversed() {
        settle(layer, left: toRight || both, right: !toRight || both)
      }
    }
  }

  private func gap(_ upper: Int, _ lower: Int) -> Double {
    isLine(upper) && isLine(lower)
      ? Self.lineGap : isLine(upper) || isLine(lower) ? Self.lineGap * 1.8 : Self.nodeGap
  }

  private mutating func stack(_ layer: Int) {
    var y = 0.0
    for (place, item) in columns[layer].enumerated() {
      if place > 0 { y += gap(columns[layer][place - 1], item) }
      tops[item] = y
      y += heights[item]
    }
    for item in columns[layer] { tops[item] -= y / 2 }
  }

  /// Moves the items of a column to straighten their lines without changing their order, minimizing the sum of squared
  /// distances (pool adjacent violators).
  private mutating func settle(_ layer: Int, left: Bool, right: Bool) {
    var wanted: [Int: (total: Double, weight: Double)] = [:]
    func want(_ item: Int, at top: Double, weight: Double) {
      wanted[item, default: (0, 0)].total += top * weight
      wanted[item, default: (0, 0)].weight += weight
    }
    if left, layer > 0 {
      for link in links[layer - 1] {
        want(
          link.right, at: tops[link.left] + link.leftOffset - link.rightOffset, weight: link.weight)
      }
    }
    if right {
      for link in links[layer] {
        want(
          link.left, at: tops[link.right] + link.rightOffset - link.leftOffset, weight: link.weight)
      }
    }
    var blocks: [(value: Double, weight: Double, count: Int)] = []
    var offsets: [Double] = []
    var offset = 0.0
    for (place, item) in columns[layer].enumerated() {
      if place > 0 {
        let above = columns[layer][place - 1]
        offset += heights[above] + gap(above, item)
      }
      offsets.append(offset)
      let wish = wanted[item] ?? (tops[item] * 0.01, 0.01)
      blocks.append((wish.total / wish.weight - offset, wish.weight, 1))
      while blocks.count > 1, blocks[blocks.count - 2].value > blocks[blocks.count - 1].value {
        let lower = blocks.removeLast()
        let upper = blocks.removeLast()
        let weight = upper.weight + lower.weight
        blocks.append(
          (
            (upper.value * upper.weight + lower.value * lower.weight) / weight, weight,
            upper.count + lower.count
          ))
      }
    }
    var place = 0
    for block in blocks {
      for _ in 0..<block.count {
        tops[columns[layer][place]] = block.value + offsets[place]
        place += 1
      }
    }
  }

  // MARK: Lines

  /// The paths of the lines, in their original direction.
  func routes() -> [(edge: Int, points: [DiagramLayout.Point])] {
    zip(graph.edges, passes).map { edge, items in
      let start = tops[edge.from] + edge.fromOffset
      let end = tops[edge.to] + edge.toOffset
      var points: [DiagramLayout.Point] = [
        .init(x: lefts[edge.from] + graph.nodes[edge.from].width, y: start),
        .init(x: columnRight[layerOf[edge.from]], y: start),
      ]
      for item in items {
        points.append(.init(x: columnLeft[layerOf[item]], y: tops[item]))
        points.append(.init(x: columnRight[layerOf[item]], y: tops[item]))
      }
      points.append(.init(x: columnLeft[layerOf[edge.to]], y: end))
      points.append(.init(x: lefts[edge.to], y: end))
      return (edge.id, edge.isReversed ? points.reversed() : points)
    }
  }
}
