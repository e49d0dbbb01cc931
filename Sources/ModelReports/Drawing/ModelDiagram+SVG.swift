extension ModelDiagram {
  /// The margin around the drawing.
  static let margin = 28.0

  /// The drawing as a standalone document, which supports light and dark mode.
  ///
  /// - Parameter title: The title of the drawing.
  public func svg(title: String) -> String {
    let (width, height) = size
    return """
      <svg xmlns="http://www.w3.org/2000/svg" role="img" class="diagram" \
      width="\(SVGNumber.text(width))" height="\(SVGNumber.text(height))" \
      viewBox="\(viewBox)">
      <title>\(MarkupText.escaped(title))</title>
      <desc>\(MarkupText.escaped(description))</desc>
      <style>
      \(DiagramStyle.colors)
      \(DiagramStyle.drawing)
      </style>
      <rect class="paper" x="\(SVGNumber.text(-Self.margin))" y="\(SVGNumber.text(-Self.margin))" \
      width="\(SVGNumber.text(width))" height="\(SVGNumber.text(height))"/>
      \(content(withFarNames: false))
      </svg>

      """
  }

  /// The width and height of the drawing, in its own units.
  public var size: (width: Double, height: Double) {
    (layout.width + 2 * Self.margin, layout.height + 2 * Self.margin)
  }

  /// The visible area of the drawing: left, top, width and height.
  var viewBox: String {
    [-Self.margin, -Self.margin, size.width, size.height]
      .map(SVGNumber.text).joined(separator: " ")
  }

  /// A description of the drawing in one sentence.
  var description: String {
    let drawn = boxes.count { !$0.isOutside }
    return "\(drawn) \(drawn == 1 ? "entity" : "entities"), "
      + "\(relationshipCount) relationship\(relationshipCount == 1 ? "" : "s"), "
      + "\(inheritanceCount) of the entities with a parent"
  }

  /// The lines and boxes.
  ///
  /// - Parameter withFarNames: Whether boxes also have large names, for viewing the whole drawing.
  func content(withFarNames: Bool) -> String {
    var output = "<g class=\"lines\">\n"
    for (index, line) in lines.enumerated() { append(line, index, to: &output) }
    output += "</g>\n<g class=\"boxes\">\n"
    for (index, box) in boxes.enumerated() {
      append(box, index, withFarName: withFarNames, to: &output)
    }
    return output + "</g>"
  }

  // MARK: Boxes

  private func append(_ box: DiagramBox, _ index: Int, withFarName: Bool, to output: inout String) {
    let frame = layout.frames[index]
    var classes = "box"
    if box.isAbstract { classes += " abstract" }
    if box.isOutside { classes += " outside" }
    let (width, height) = (SVGNumber.text(frame.width), SVGNumber.text(frame.height))
    output += "<g class=\"\(classes)\" data-e=\"\(index)\" transform=\"translate("
    output += "\(SVGNumber.text(frame.x)) \(SVGNumber.text(frame.y)))\">"
    output += "<title>\(MarkupText.escaped(box.name))</title>"
    output += "<rect class=\"body\" width=\"\(width)\" height=\"\(height)\" rx=\"7\"/>"
    if !box.rows.isEmpty {
      output +=
        "<path class=\"head\" d=\"M0 \(SVGNumber.text(DiagramBox.headerHeight))V7a7 7 0 0 1 7-7"
      output +=
        "H\(SVGNumber.text(frame.width - 7))a7 7 0 0 1 7 7V\(SVGNumber.text(DiagramBox.headerHeight))z\"/>"
    }
    let left = SVGNumber.text(DiagramBox.padding)
    output += "<g class=\"near\"><text class=\"name\" x=\"\(left)\" y=\"19.5\">"
    output += "\(MarkupText.escaped(box.shownName))</text>"
    for (place, row) in box.rows.enumerated() {
      append(row, at: box.offset(ofRow: place) + 4, width: frame.width, to: &output)
    }
    if let divider = box.dividerOffset {
      output += "<path class=\"rule\" d=\"M0 \(SVGNumber.text(divider))H\(width)\"/>"
    }
    output += "</g>"
    if withFarName {
      let far = FarName(box.shownName, width: frame.width - 12, height: frame.height - 8)
      let (middle, size) = (SVGNumber.text(frame.width / 2), SVGNumber.text(far.size))
      var y =
        frame.height / 2 + far.size * (0.36 - FarName.spacing * Double(far.lines.count - 1) / 2)
      output += "<text class=\"far\" style=\"font-size:\(size)px\">"
      for line in far.lines {
        output +=
          "<tspan x=\"\(middle)\" y=\"\(SVGNumber.text(y))\">\(MarkupText.escaped(line))</tspan>"
        y += far.size * FarName.spacing
      }
      output += "</text>"
    }
    output += "</g>\n"
  }

  private func append(
    _ row: DiagramBox.Row, at y: Double, width: Double, to output: inout String
  ) {
    let baseline = SVGNumber.text(y)
    output += "<text class=\"\(row.kind.rawValue)\" x=\"\(SVGNumber.text(DiagramBox.padding))\" "
    output += "y=\"\(baseline)\">\(MarkupText.escaped(row.shownName))</text>"
    guard !row.detail.isEmpty else { return }
    let rule = row.rule.map { " \($0.rawValue)" } ?? ""
    output += "<text class=\"detail\(rule)\" x=\"\(SVGNumber.text(width - DiagramBox.padding))\" "
    output += "y=\"\(baseline)\">\(MarkupText.escaped(row.detail))</text>"
  }

  // MARK: Lines

  private func append(_ line: DiagramLine, _ index: Int, to output: inout String) {
    let points = layout.routes[index].points
    guard let first = points.first, let last = points.last else { return }
    let path = LinePath(layout.routes[index])
    var (kind, ends, marks) = ("relationship", "", "")
    switch line.kind {
    case .inheritance:
      kind = "inheritance"
      marks = LinePath.arrow(at: first, outwards: path.startsRight)
    case .relationship(let from, let to):
      for (end, point, isRight) in [(from, first, path.startsRight), (to, last, path.endsRight)] {
        if let end {
          let foot = LinePath.foot(end, at: point, outwards: isRight)
          ends += foot.strokes
          marks += foot.ring
        } else {
          marks += LinePath.dot(at: point, outwards: isRight)
        }
      }
    }
    output += "<g class=\"line \(kind)\" data-a=\"\(line.from)\" data-b=\"\(line.to)\">"
    output += "<title>\(MarkupText.escaped(line.words))</title>"
    output += "<path class=\"way\" d=\"\(path.text)\(ends)\"/>"
    if !marks.isEmpty { output += "<path class=\"mark\" d=\"\(marks)\"/>" }
    output += "</g>\n"
  }
}

/// Formats numbers for drawings.
enum SVGNumber {
  /// A number with at most one fractional digit.
  static func text(_ number: Double) -> String {
    guard let tenths = Int(exactly: (number * 10).rounded()) else { return "0" }
    let (whole, rest) = abs(tenths).quotientAndRemainder(dividingBy: 10)
    let sign = tenths < 0 ? "-" : ""
    return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
  }
}
