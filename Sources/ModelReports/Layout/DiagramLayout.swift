/// The positions of boxes and paths of lines in a layered drawing from left to right.
///
/// Connected boxes are arranged in columns such that most lines lead to the right and few cross; each line leaves a box
/// at the requested height. Unconnected groups are packed beside and below each other. Nothing overlaps: boxes keep a
/// distance, and lines pass through columns where there is no box.
///
/// ```swift
/// let layout = DiagramLayout(
///   nodes: [.init(width: 100, height: 40), .init(width: 100, height: 80)],
///   edges: [.init(from: 0, to: 1, fromOffset: 20, toOffset: 60)])
/// print(layout.frames[1].x, layout.routes[0].points)
/// ```
///
/// The layout is deterministic. Its cost is bounded: a thousand boxes take some tens of milliseconds.
public struct DiagramLayout: Sendable, Hashable {
  /// A box to be laid out.
  public struct Node: Sendable, Hashable {
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// Creates a box.
    public init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }
  }

  /// A line between two boxes, or from a box to itself.
  public struct Edge: Sendable, Hashable {
    /// The index of the box that should be on the left.
    public var from: Int
    /// The index of the box that should be on the right.
    public var to: Int
    /// The offset at which the line leaves the first box, from its top.
    public var fromOffset: Double
    /// The offset at which the line reaches the second box, from its top.
    public var toOffset: Double
    /// Whether the line's direction is more important than that of others.
    public var isHierarchy: Bool

    /// Creates a line.
    public init(
      from: Int, to: Int, fromOffset: Double, toOffset: Double, isHierarchy: Bool = false
    ) {
      self.from = from
      self.to = to
      self.fromOffset = fromOffset
      self.toOffset = toOffset
      self.isHierarchy = isHierarchy
    }
  }

  /// A point in the drawing; y increases downwards.
  public struct Point: Sendable, Hashable {
    /// The distance from the left edge.
    public var x: Double
    /// The distance from the top edge.
    public var y: Double
  }

  /// The position and size of a box.
  public struct Frame: Sendable, Hashable {
    /// The distance of its left side from the drawing's left edge.
    public var x: Double
    /// The distance of its top from the drawing's top edge.
    public var y: Double
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// The distance of its right side from the drawing's left edge.
    public var right: Double { x + width }
    /// The distance of its bottom from the drawing's top edge.
    public var bottom: Double { y + height }

    /// Whether two boxes share more than an edge.
    public func overlaps(_ other: Frame) -> Bool {
      x < other.right && other.x < right && y < other.bottom && other.y < bottom
    }
  }

  /// The path of a line.
  public struct Route: Sendable, Hashable {
    /// The points of the path, from the line's first box to its second. It is straight and horizontal between the first
    /// two points, the third and fourth, and so on, and curved in between. A loop has the four points of a path around
    /// the right side of its box.
    public var points: [Point]
    /// Whether both ends are at the same box.
    public var isLoop: Bool
  }

  /// The positions of the boxes, in the given order.
  public private(set) var frames: [Frame]
  /// The paths of the lines, in the given order; empty for a line that refers to a box that doesn't exist.
  public private(set) var routes: [Route]
  /// The width of the drawing.
  public private(set) var width: Double
  /// The height of the drawing.
  public private(set) var height: Double

  /// The distance that a loop extends from its box.
  static let loopReach = 30.0

  /// Lays out boxes and lines.
  public init(nodes: [Node], edges: [Edge]) {
    frames = nodes.map { Frame(x: 0, y: 0, width: $0.width, height: $0.height) }
    routes = edges.map { Route(points: [], isLoop: $0.from == $0.to) }
    let valid = edges.indices.filter {
      nodes.indices.contains(edges[$0].from) && nodes.indices.contains(edges[$0].to)
    }
    let groups = LayoutGroup.groups(nodes: nodes, edges: edges, valid: valid)
    let packing = LayoutPacking(groups.map { ($0.width, $0.height) })
    for (group, origin) in zip(groups, packing.origins) {
      for (node, place) in zip(group.nodes, group.places) {
        frames[node].x = origin.x + place.x
        frames[node].y = origin.y + place.y
      }
      for (edge, points) in group.routes {
        routes[edge].points = points.map { Point(x: $0.x + origin.x, y: $0.y + origin.y) }
      }
    }
    width = packing.width
    height = packing.height
    for index in valid where edges[index].from == edges[index].to {
      routes[index].points = Self.loop(edges[index], around: frames[edges[index].from])
    }
  }

  private static func loop(_ edge: Edge, around frame: Frame) -> [Point] {
    let (start, end) = (frame.y + edge.fromOffset, frame.y + edge.toOffset)
    let reach = frame.right + loopReach
    return [
      Point(x: frame.right, y: start), Point(x: reach, y: start), Point(x: reach, y: end),
      Point(x: frame.right, y: end),
    ]
  }
}
