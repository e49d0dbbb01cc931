/// Packs rectangles beside and below each other, in a shape that fits a screen.
struct LayoutPacking {
  /// The position of each rectangle, in the given order.
  private(set) var origins: [DiagramLayout.Point]
  private(set) var width = 0.0
  private(set) var height = 0.0

  /// The space between two rectangles.
  private static let gap = 44.0
  /// The desired ratio of width to height.
  private static let aspect = 1.6

  /// Packs rectangles into rows, the highest first.
  init(_ sizes: [(width: Double, height: Double)]) {
    origins = sizes.map { _ in .init(x: 0, y: 0) }
    let area = sizes.reduce(0) { $0 + ($1.width + Self.gap) * ($1.height + Self.gap) }
    let widest = sizes.map(\.width).max() ?? 0
    let limit = max(widest, (area * Self.aspect).squareRoot())
    let order = sizes.indices.sorted {
      (-sizes[$0].height, -sizes[$0].width, $0) < (-sizes[$1].height, -sizes[$1].width, $1)
    }
    var (x, top, rowHeight) = (0.0, 0.0, 0.0)
    // Below a low rectangle beside a high one there may be room for another.
    var column: (x: Double, y: Double, width: Double)?
    for index in order {
      let size = sizes[index]
      if let open = column, size.width <= open.width, open.y + size.height <= top + rowHeight {
        origins[index] = .init(x: open.x, y: open.y)
        column?.y = open.y + size.height + Self.gap
        continue
      }
      if x > 0, x + size.width > limit {
        top += rowHeight + Self.gap
        (x, rowHeight, column) = (0, 0, nil)
      }
      origins[index] = .init(x: x, y: top)
      rowHeight = max(rowHeight, size.height)
      column = (x, top + size.height + Self.gap, size.width)
      x += size.width + Self.gap
      width = max(width, x - Self.gap)
      height = max(height, top + rowHeight)
    }
  }
}
