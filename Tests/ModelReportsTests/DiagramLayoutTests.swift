import ModelReports
import TestSupport
import Testing

struct DiagramLayoutTests {
  private func random(_ count: Int, edges: Int, seed: UInt64) -> DiagramLayout {
    var generator = SeededGenerator(seed: seed)
    let nodes = (0..<count).map { _ in
      DiagramLayout.Node(
        width: Double(Int.random(in: 8...20, using: &generator) * 16),
        height: Double(Int.random(in: 30...300, using: &generator)))
    }
    let lines = (0..<edges).map { number in
      let from = Int.random(in: 0..<count, using: &generator)
      let to = Int.random(in: 0..<count, using: &generator)
      return DiagramLayout.Edge(
        from: from, to: to,
        fromOffset: Double.random(in: 1..<nodes[from].height, using: &generator),
        toOffset: Double.random(in: 1..<nodes[to].height, using: &generator),
        isHierarchy: number.isMultiple(of: 5))
    }
    let layout = DiagramLayout(nodes: nodes, edges: lines)
    check(layout, nodes, lines)
    return layout
  }

  private func check(
    _ layout: DiagramLayout, _ nodes: [DiagramLayout.Node], _ edges: [DiagramLayout.Edge]
  ) {
    #expect(layout.frames.count == nodes.count)
    #expect(layout.routes.count == edges.count)
    for (index, frame) in layout.frames.enumerated() {
      #expect(frame.width == nodes[index].width && frame.height == nodes[index].height)
      #expect(frame.x >= 0 && frame.y >= 0)
      #expect(frame.right <= layout.width + 0.01 && frame.bottom <= layout.height + 0.01)
      for other in layout.frames[(index + 1)...] where frame.overlaps(other) {
        Issue.record("\(frame) overlaps \(other)")
      }
    }
    for (edge, route) in zip(edges, layout.routes) {
      let (from, to) = (layout.frames[edge.from], layout.frames[edge.to])
      guard let first = route.points.first, let last = route.points.last else {
        Issue.record("no way from \(edge.from) to \(edge.to)")
        continue
      }
      #expect(abs(first.y - from.y - edge.fromOffset) < 0.01)
      #expect(abs(last.y - to.y - edge.toOffset) < 0.01)
      #expect(first.x == from.x || first.x == from.right)
      #expect(last.x == to.x || last.x == to.right)
      #expect(route.isLoop == (edge.from == edge.to))
      // Straight segments are horizontal and don't cross other boxes.
      for index in stride(from: 1, to: route.points.count, by: 2) where !route.isLoop {
        let (start, end) = (route.points[index - 1], route.points[index])
        #expect(start.y == end.y)
        let (left, right) = (min(start.x, end.x), max(start.x, end.x))
        for (node, frame) in layout.frames.enumerated()
        where node != edge.from && node != edge.to && left < frame.right && frame.x < right {
          if frame.y < start.y, start.y < frame.bottom {
            Issue.record("a line from \(edge.from) to \(edge.to) goes through \(node)")
          }
        }
      }
    }
  }

  @Test(arguments: [(1, 0), (2, 1), (5, 8), (30, 40), (60, 20), (80, 200)])
  func nothingOverlaps(nodes: Int, edges: Int) {
    for seed in 1...6 { _ = random(nodes, edges: edges, seed: UInt64(seed)) }
  }

  @Test func theSameInputGivesTheSamePlaces() {
    #expect(random(70, edges: 120, seed: 3) == random(70, edges: 120, seed: 3))
  }

  @Test func fiveHundredBoxesAreBounded() {
    let clock = ContinuousClock()
    let start = clock.now
    let layout = random(500, edges: 900, seed: 9)
    // A generous limit, since debug builds are slow.
    #expect(clock.now - start < .seconds(60))
    #expect(layout.width > layout.height / 4 && layout.height > layout.width / 8)
  }

  @Test func aHubAndItsMembersAreNotOneHighColumn() {
    let nodes = [DiagramLayout.Node](repeating: .init(width: 160, height: 60), count: 200)
    let edges = (1..<200).map {
      DiagramLayout.Edge(from: 0, to: $0, fromOffset: 30, toOffset: 15)
    }
    let layout = DiagramLayout(nodes: nodes, edges: edges)
    check(layout, nodes, edges)
    #expect(layout.height < layout.width * 4)
  }

  @Test func childrenAreToTheRightOfTheirParents() {
    let nodes = [DiagramLayout.Node](repeating: .init(width: 160, height: 60), count: 7)
    let edges = (1..<7).map {
      DiagramLayout.Edge(
        from: ($0 - 1) / 2, to: $0, fromOffset: 15, toOffset: 15, isHierarchy: true)
    }
    let layout = DiagramLayout(nodes: nodes, edges: edges)
    for edge in edges { #expect(layout.frames[edge.from].right < layout.frames[edge.to].x) }
  }

  @Test func linesToBoxesThatArentThereHaveNoWay() {
    let layout = DiagramLayout(
      nodes: [.init(width: 10, height: 10)],
      edges: [.init(from: 0, to: 4, fromOffset: 1, toOffset: 1)])
    #expect(layout.routes[0].points.isEmpty)
    #expect(DiagramLayout(nodes: [], edges: []).frames.isEmpty)
  }
}
