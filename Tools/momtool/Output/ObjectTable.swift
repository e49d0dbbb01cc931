import DataModels
import Foundation
import ManagedObjects

/// Objects as a table for people, or as one value a line.
///
/// The first objects say how wide the columns are; so the table is written while it is read.
struct ObjectTable {
  private let fetch: StoreFetch
  private let null: String
  private let width: Int

  /// - Parameters:
  ///   - fetch: gives the objects.
  ///   - null: what stands for no value.
  ///   - width: how wide a line may be, in characters; 0 for any width.
  init(_ fetch: StoreFetch, null: String, width: Int) {
    self.fetch = fetch
    self.null = null
    self.width = width
  }

  /// How many objects are looked at before the first is written.
  private static let sample = 200
  /// How wide a column may be where nothing else says.
  private static let widest = 40
  /// How narrow a column may be made.
  private static let narrowest = 8

  /// Writes the objects to standard output.
  func write(isVertical: Bool) throws {
    try isVertical ? writeVertically() : writeTable()
  }

  // MARK: Tables

  private func writeTable() throws {
    let heading = ["object"] + fetch.names
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
      made.empty > 0 ? "\(made.empty) columns without values are left out" : nil,
      made.hidden > 0 ? "\(made.hidden) columns don't fit" : nil,
    ].compactMap { $0 }
    if !left.isEmpty {
      Diagnostics.report(
        Diagnostic(
          warning: left.joined(separator: ", ") + ": --vertical, --columns or --width 0 show them",
          path: "table"))
    }
  }

  /// How wide the columns are, and which of them are shown.
  private struct Layout {
    private let columns: [Column]
    /// How many columns, from the last on, have no room.
    let hidden: Int
    /// How many columns were left out since the objects that were looked at have no value there.
    let empty: Int

    private struct Column {
      let index: Int
      var width: Int
    }

    init(_ rows: [[String]], width: Int, null: String) {
      let count = rows.first?.count ?? 0
      var columns = (0..<count).map { column in
        Column(
          index: column,
          width: min(ObjectTable.widest, rows.map { $0[column].count }.max() ?? 0))
      }
      func total() -> Int { columns.reduce(0) { $0 + $1.width + 2 } - 2 }
      guard width > 0, total() > width else {
        (self.columns, hidden, empty) = (columns, 0, 0)
        return
      }
      // Nothing is the first to give way, where there are objects to tell by.
      if rows.count > 1 {
        columns.removeAll { column in
          column.index > 0
            && rows.dropFirst().allSatisfy { [null, ""].contains($0[column.index]) }
        }
      }
      empty = count - columns.count
      // Then the widest; what an object is called stays whole.
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
        line += count > width ? cell.prefix(max(0, width - 1)) + "…" : cell
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

  /// A text on one line, with nothing in it that controls a terminal.
  private static func line(_ text: String) -> String {
    TerminalText.escaped(text, keepingLines: false)
  }
}
