/// The strokes of a line as SVG path data.
struct LinePath {
  /// The path of the line itself.
  let text: String
  /// Whether the path leaves its first box to the right.
  let startsRight: Bool
  /// Whether the path reaches its last box from the right.
  let endsRight: Bool

  init(_ route: DiagramLayout.Route) {
    let points = route.points
    guard points.count > 1, let first = points.first, let last = points.last else {
      (text, startsRight, endsRight) = ("", true, false)
      return
    }
    var text = "M" + Self.pair(first.x, first.y)
    if route.isLoop, points.count == 4 {
      let radius = min(10, abs(points[2].y - points[1].y) / 2)
      let down = points[2].y >= points[1].y
      let turn = down ? radius : -radius
      text += "H\(SVGNumber.text(points[1].x - radius))"
      text += "q\(Self.pair(radius, 0)) \(Self.pair(radius, turn))"
      text += "V\(SVGNumber.text(points[2].y - turn))"
      text += "q\(Self.pair(0, turn)) \(Self.pair(-radius, turn))H\(SVGNumber.text(last.x))"
      (startsRight, endsRight) = (true, true)
    } else {
      for index in points.indices.dropFirst() {
        let (from, to) = (points[index - 1], points[index])
        if index.isMultiple(of: 2), from.y != to.y {
          let middle = (from.x + to.x) / 2
          text +=
            "C\(Self.pair(middle, from.y)) \(Self.pair(middle, to.y)) \(Self.pair(to.x, to.y))"
        } else if from.x != to.x {
          text += "H\(SVGNumber.text(to.x))"
        }
      }
      startsRight = first.x <= last.x
      endsRight = !startsRight
    }
    self.text = text
  }

  /// The end marks of a line: a crow's foot or a stroke at the box, and before it a ring or a stroke for the minimum
  /// count.
  static func foot(
    _ end: DiagramLine.End, at point: DiagramLayout.Point, outwards isRight: Bool
  ) -> (strokes: String, ring: String) {
    let sign = isRight ? 1.0 : -1.0
    func x(_ distance: Double) -> Double { point.x + sign * distance }
    var strokes = ""
    if end.isToMany {
      strokes =
        "M\(pair(point.x, point.y - 5.5))L\(pair(x(11), point.y))L\(pair(point.x, point.y + 5.5))"
    } else {
      strokes = "M\(pair(x(7), point.y - 5))v10"
    }
    let distance = end.isToMany ? 15.0 : 12.0
    guard end.isOptional else {
      return (strokes + "M\(pair(x(distance), point.y - 5))v10", "")
    }
    return (strokes, circle(x(distance), point.y, radius: 3.4))
  }

  /// The hollow head of an arrow.
  static func arrow(at point: DiagramLayout.Point, outwards isRight: Bool) -> String {
    let sign = isRight ? 1.0 : -1.0
    return "M\(pair(point.x, point.y))l\(pair(sign * 13, -7))v14z"
  }

  /// The mark at an end without a relationship.
  static func dot(at point: DiagramLayout.Point, outwards isRight: Bool) -> String {
    circle(point.x + (isRight ? 4 : -4), point.y, radius: 2.2)
  }

  private static func circle(_ x: Double, _ y: Double, radius: Double) -> String {
    let (r, d) = (SVGNumber.text(radius), SVGNumber.text(radius * 2))
    return "M\(pair(x - radius, y))a\(r) \(r) 0 1 0 \(d) 0a\(r) \(r) 0 1 0 -\(d) 0z"
  }

  private static func pair(_ x: Double, _ y: Double) -> String {
    "\(SVGNumber.text(x)) \(SVGNumber.text(y))"
  }
}
