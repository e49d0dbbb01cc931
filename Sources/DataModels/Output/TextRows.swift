/// Rows of texts, for terminals and for other programs.
package enum TextRows {
  /// Rows in columns, each as wide as its widest text and two blanks; a line for each row.
  package static func aligned(_ rows: [[String]]) -> String {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    return rows.map { row in
      let used = row.lastIndex { !$0.isEmpty }.map { row[...$0] } ?? []
      return used.enumerated().map { column, cell in
        column == used.count - 1
          ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }.joined() + "\n"
    }.joined()
  }

  /// A row as a line of CSV (RFC 4180), with the end of its line.
  package static func csv(_ cells: [String]) -> String {
    cells.map { cell in
      // By bytes: a carriage return and a line feed are one character.
      cell.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
        ? "\"\(cell.replacing("\"", with: "\"\""))\"" : cell
    }.joined(separator: ",") + "\r\n"
  }
}
