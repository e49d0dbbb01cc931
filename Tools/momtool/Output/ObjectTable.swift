import DataModels
import Foundation
import ManagedObjects

/// Objects as a table for people, or with one value per line.
///
/// The first objects determine the widths of the columns, so that the table can be written while objects are being
/// read.
struct ObjectTable {
  private let fetch: StoreFetch
  private let null: String
  private let width: Int

  /// - Parameters:
  ///   - fetch: Provides the objects.
  ///   - null: The text for missing values.
  ///   - width: The maximum width of a line in characters; 0 for no limit.
  init(_ fetch: StoreFetch, null: String, width: Int) {
    self.fetch = fetch
    self.null = null
    self.width = width
  }

  /// The number of objects read before the first is written.
  private static let sample = 200
  /// The maximum width of a column if the table's width is unlimited; longer values extend beyond it.
  private static let widest = 40
  /// The minimum width to which a column is reduced.
  private static let narrowest = 8

  /// Writes the objects to standard output.
  func write(isVertical: Bool) throws {
    try isVertical ? writeVertically() : writeTable()
  }

  // MARK: Tables

  private func writeTable() throws {
    let heading = TextRows.heading(of: fetch.names)
    var pending = [heading]
    var layout: Layout?
    try fetch.forEach { name, values in
      let row = [name] + values.map { Self.line($0.cell ?? null) }
      if let layout { return try StandardOutput.write(layout.line(row)) }
      pending.append(row)
      if pending.count > Self.sample {
        let made = Layout(pending, width: width, null: null)
        layout = made
        try StandardOutput.write(pending.map(made.line).joined())
        pending = []
      }
    }
    let made = layout ?? Layout(pending, width: width, null: null)
    try StandardOutput.write(pending.map(made.line).joined())
    let left = [
      made.empty > 0 ? "\(made.empty) columns without values are hidden" : nil,
      made.hidden > 0 ? "\(made.hidden) columns don't fit" : nil,
    ].compactMap { $0 }
    if !left.isEmpty {
      Diagnostics.report(
        Diagnostic(
          warning: left.joined(separator: ", ") + ": --vertical, --columns or --width 0 show them",
          path: "table"))
    }
  }

  /// The columns to show and their widths.
  private struct Layout {
    private let columns: [Column]
    /// Whether values longer than their column are cut.
    private let cuts: Bool
    /// The number of columns at the end that don't fit.
    let hidden: Int
    /// The number of columns omitted because the sampled objects have no value there.
    let empty: Int

    private struct Column {
      let index: Int
      var width: Int
    }

    init(_ rows: [[String]], width: Int, null: String) {
      let count = rows.first?.count ?? 0
      cuts = width > 0
      let widest = width > 0 ? width : ObjectTable.widest
      var columns = (0..<count).map { column in
        Column(
          index: column,
          width: min(widest, rows.map { $0[column].count }.max() ?? 0))
      }
      func total() -> Int { columns.reduce(0) { $0 + $1.width + 2 } - 2 }
      guard width > 0, total() > width else {
        (self.columns, hidden, empty) = (columns, 0, 0)
        return
      }
      // Empty columns are dropped first, if there are objects to judge by.
      if rows.count > 1 {
        columns.removeAll { column in
          column.index > 0
            && rows.dropFirst().allSatisfy { [null, ""].contains($0[column.index]) }
        }
      }
      empty = count - columns.count
      // Then the widest columns are narrowed; the object's name is never shortened.
      while total() > width,
        let widest = columns.dropFirst().map(\.width).max(), widest > ObjectTable.narrowest,
        let place = columns.lastIndex(where: { $0.width == widest && $0.index > 0 })
      {
        columns[place].width -= 1
      }
      while total() > width, columns.count > 1 { columns.removeLast() }
      if total() > width { columns[0].width = max(1, width) }
      self.columns = columns
      hidden = count - empty - columns.count
    }

    func line(_ row: [String]) -> String {
      var line = ""
      for (width, cell) in columns.map({ ($0.width, row[$0.index]) }) {
        let count = cell.count
        line += cuts && count > width ? cell.prefix(max(0, width - 1)) + "…" : cell
        line += String(repeating: " ", count: max(0, width - count) + 2)
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return line + "\n"
    }
  }

  // MARK: A line for each value

  private func writeVertically() throws {
    let names = fetch.names
    let width = names.map(\.count).max() ?? 0
    var isFirst = true
    try fetch.forEach { object, values in
      var text = isFirst ? "" : "\n"
      isFirst = false
      text += "── \(object)\n"
      for (name, value) in zip(names, values) {
        let padding = String(repeating: " ", count: width - name.count + 2)
        text += name + padding + Self.line(value.cell ?? null) + "\n"
      }
      try StandardOutput.write(text)
    }
  }

  /// A text on one line, without characters that control a terminal.
  private static func line(_ text: String) -> String {
    TerminalText.escaped(text, keepingLines: false)
  }
}
