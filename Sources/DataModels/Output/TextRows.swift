/// Formats rows of strings, for terminals and for other programs.
package enum TextRows {
  /// Formats rows as a table with one line per row; each column is as wide as its widest cell plus two spaces.
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

  /// The heading of rows of objects: a column with the object, and those of its properties. The first has a name of its
  /// own, as many programs read rows by the names of their columns.
  package static func heading(of properties: [String]) -> [String] {
    let taken = Set(properties.map { $0.lowercased() })
    var object = "object"
    while taken.contains(object) { object = "_" + object }
    return [object] + properties
  }

  /// Formats a row as a line of CSV (RFC 4180), including the line ending.
  package static func csv(_ cells: [String]) -> String {
    cells.map { cell in
      // Compare bytes, because a carriage return and a line feed form a single character.
      cell.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
        ? "\"\(cell.replacing(scalar: "\"", with: "\"\""))\"" : cell
    }.joined(separator: ",") + "\r\n"
  }
}
