/// Places of boxes and ways of lines: a layered drawing, from left to right.
///
/// Boxes that lines connect, directly or not, are laid out in columns so that most lines go to the right and few
/// cross; each line leaves a box at the height that is asked for. Groups without a line between them are packed
/// beside and below each other. Nothing overlaps: boxes keep their distance, and lines go through columns where
/// there is no box.
///
/// ```swift
/// let layout = DiagramLayout(
///   nodes: [.init(width: 100, height: 40), .init(width: 100, height: 80)],
///   edges: [.init(from: 0, to: 1, fromOffset: 20, toOffset: 60)])
/// print(layout.frames[1].x, layout.routes[0].points)
/// ```
///
/// The same input gives the same places. The work is bounded: a thousand boxes take some tens of milliseconds.
public struct DiagramLayout: Sendable, Hashable {
  /// A box to be placed.
  public struct Node: Sendable, Hashable {
    /// How wide it is.
    public var width: Double
    /// How high it is.
    public var height: Double

    /// Creates a box.
    public init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }
  }

  /// A line between two boxes, or from a box to itself.
  public struct Edge: Sendable, Hashable {
    /// The position of the box that is to be on the left.
    public var from: Int
    /// The position of the box that is to be on the right.
    public var to: Int
    /// Where the line leaves its first box, from the top.
    public var fromOffset: Double
    /// Where the line meets its second box, from the top.
    public var toOffset: Double
    /// Whether the line's direction matters more than that of others.
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

  /// A point of the drawing; y grows downwards.
  public struct Point: Sendable, Hashable {
    /// The distance from the left.
    public var x: Double
    /// The distance from the top.
    public var y: Double
  }

  /// Where a box is.
  public struct Frame: Sendable, Hashable {
    /// The distance of its left side from the drawing's.
    public var x: Double
    /// The distance of its top from the drawing's.
    public var y: Double
    /// How wide it is.
    public var width: Double
    /// How high it is.
    public var height: Double

    /// The distance of its right side from the drawing's left.
    public var right: Double { x + width }
    /// The distance of its lower side from the drawing's top.
    public var bottom: Double { y + height }

    /// Whether two boxes share more than a side.
    public func overlaps(_ other: Frame) -> Bool {
      x < other.right && other.x < right && y < other.bottom && other.y < bottom
    }
  }

  /// The way of a line.
  public struct Route: Sendable, Hashable {
    /// The points of the way, from the line's first box to its second. Between the first two, the third and fourth
    /// and so on it is straight and horizontal, between the others it bends. A loop has the four points of a way
    /// around the right side of its box.
    public var points: [Point]
    /// Whether both ends are at one box.
    public var isLoop: Bool
  }

  /// Where the boxes are, in the order in which they were given.
  public private(set) var frames: [Frame]
  /// The ways of the lines, in the order in which they were given; without points for a line that names a box that
  /// isn't there.
  public private(set) var routes: [Route]
  /// How wide the drawing is.
  public private(set) var width: Double
  /// How high the drawing is.
  public private(set) var height: Double

  /// How far a loop goes out of its box.
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
