/// A group of connected boxes, laid out separately.
struct LayoutGroup {
  /// The indexes of the boxes among all boxes.
  let nodes: [Int]
  /// The position of each box within the group.
  private(set) var places: [DiagramLayout.Point] = []
  /// The paths of the lines, by their index among all lines.
  private(set) var routes: [(edge: Int, points: [DiagramLayout.Point])] = []
  private(set) var width = 0.0
  private(set) var height = 0.0

  /// The groups of a drawing, in the order of their first boxes.
  static func groups(
    nodes: [DiagramLayout.Node], edges: [DiagramLayout.Edge], valid: [Int]
  ) -> [LayoutGroup] {
    var roots = Array(nodes.indices)
    func root(of node: Int) -> Int {
      var node = node
      while roots[node] != node {
        roots[node] = roots[roots[node]]
        node = roots[node]
      }
      return node
    }
    for edge in valid {
      let (a, b) = (root(of: edges[edge].from), root(of: edges[edge].to))
      if a != b { roots[max(a, b)] = min(a, b) }
    }
    var members: [Int: [Int]] = [:]
    for node in nodes.indices { members[root(of: node), default: []].append(node) }
    var lines: [Int: [Int]] = [:]
    for edge in valid { lines[root(of: edges[edge].from), default: []].append(edge) }
    return members.keys.sorted().map { key in
      LayoutGroup(members[key] ?? [], lines[key] ?? [], nodes: nodes, edges: edges)
    }
  }

  private init(
    _ members: [Int], _ lines: [Int], nodes: [DiagramLayout.Node], edges: [DiagramLayout.Edge]
  ) {
    self.nodes = members
    let local = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1, $0) })
    let looped = Set(lines.filter { edges[$0].from == edges[$0].to }.map { edges[$0].from })
    var graph = LayoutGraph(
      nodes: members.map { node in
        let reach = looped.contains(node) ? DiagramLayout.loopReach : 0
        return .init(
          width: nodes[node].width, height: nodes[node].height, reach: reach)
      })
    for line in lines {
      let edge = edges[line]
      guard edge.from != edge.to, let from = local[edge.from], let to = local[edge.to] else {
        continue
      }
      graph.edges.append(
        .init(
          id: line, from: from, to: to, fromOffset: edge.fromOffset, toOffset: edge.toOffset,
          isHierarchy: edge.isHierarchy))
    }
    graph.removeCycles()
    graph.assignLayers()
    var layers = LayoutLayers(graph)
    layers.reduceCrossings()
    layers.assignCoordinates()
    places = members.indices.map { .init(x: layers.lefts[$0], y: layers.tops[$0]) }
    routes = layers.routes()
    let points = routes.flatMap(\.points)
    let top = min(places.map(\.y).min() ?? 0, points.map(\.y).min() ?? 0)
    for index in places.indices { places[index].y -= top }
    for index in routes.indices {
      for point in routes[index].points.indices { routes[index].points[point].y -= top }
    }
    for (place, node) in zip(places, graph.nodes) {
      width = max(width, place.x + node.width + node.reach)
      height = max(height, place.y + node.height)
    }
    for point in routes.flatMap(\.points) {
      width = max(width, point.x)
      height = max(height, point.y + 4)
    }
  }
}
