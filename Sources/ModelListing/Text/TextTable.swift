/// A piece of a line with its role.
struct TextSpan {
  var role: ModelTextListing.Role
  var text: String

  static func keyword(_ text: String) -> Self { Self(role: .keyword, text: text) }
  static func entity(_ text: String) -> Self { Self(role: .entity, text: text) }
  static func property(_ text: String) -> Self { Self(role: .property, text: text) }
  static func type(_ text: String) -> Self { Self(role: .type, text: text) }
  static func value(_ text: String) -> Self { Self(role: .value, text: text) }
  static func plain(_ text: String) -> Self { Self(role: .plain, text: text) }
  static let space = plain(" ")
  static let gap = plain("  ")
}

/// Blocks of lines, with the cells of each block's rows in aligned columns.
struct TextTable {
  private enum Line {
    case heading([TextSpan])
    case row(cells: [[TextSpan]], rest: [TextSpan])
    case note([TextSpan])
  }

  private let paint: ModelTextListing.Paint
  private var block: [Line] = []
  private var output = ""

  init(paint: @escaping ModelTextListing.Paint) {
    self.paint = paint
  }

  /// Adds an unindented line.
  mutating func heading(_ spans: [TextSpan]) { block.append(.heading(spans)) }

  /// Adds an indented line: cells in columns, followed by free text.
  mutating func row(_ cells: [[TextSpan]], _ rest: [TextSpan] = []) {
    block.append(.row(cells: cells, rest: rest))
  }

  /// Adds a line below a row, with a deeper indentation.
  mutating func note(_ spans: [TextSpan]) { block.append(.note(spans)) }

  /// Formats the lines so far, and starts a new block after an empty line.
  mutating func endBlock() {
    flush()
    output += "\n"
  }

  /// The whole text.
  mutating func finish() -> String {
    flush()
    return output
  }

  private mutating func flush() {
    let widths = columnWidths()
    for line in block {
      switch line {
      case .heading(let spans):
        append(spans)
      case .note(let spans):
        output += "      "
        append(spans)
      case .row(let cells, let rest):
        output += "  "
        appendRow(cells, rest: rest, widths: widths)
      }
      output += "\n"
    }
    block.removeAll(keepingCapacity: true)
  }

  private func columnWidths() -> [Int] {
    var widths: [Int] = []
    for case .row(let cells, _) in block {
      for (column, cell) in cells.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], Self.width(cell))
      }
    }
    return widths
  }

  private mutating func appendRow(
    _ cells: [[TextSpan]], rest: [TextSpan], widths: [Int]
  ) {
    let last = rest.isEmpty ? cells.lastIndex { !$0.isEmpty } : nil
    for (column, cell) in cells.enumerated() {
      append(cell)
      if column == last { return }
      output += String(repeating: " ", count: widths[column] - Self.width(cell) + 2)
    }
    append(rest)
  }

  private mutating func append(_ spans: [TextSpan]) {
    for span in spans {
      output += span.role == .plain ? span.text : paint(span.role, span.text)
    }
  }

  private static func width(_ spans: [TextSpan]) -> Int {
    spans.reduce(0) { $0 + $1.text.count }
  }
}
