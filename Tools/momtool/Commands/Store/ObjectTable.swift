import ArgumentParser
import Foundation
import ManagedModel
import ManagedObjects

/// Objects as rows of texts and JSON values.
struct ObjectTable {
  enum Format: String, ExpressibleByArgument, CaseIterable { case table, json, jsonl, csv }

  private let columns: [String]
  private let objects: [NSManagedObject]

  init(_ objects: [NSManagedObject], of entity: NSEntityDescription) {
    self.objects = objects
    let attributes = entity.attributesByName.values.filter { !$0.isTransient }.map(\.name).sorted()
    let toOnes = entity.relationshipsByName.values
      .filter { !$0.isToMany && !$0.isTransient }.map(\.name).sorted()
    columns = attributes + toOnes
  }

  func text(_ format: Format) throws -> String {
    switch format {
    case .table: table()
    case .csv: csv()
    case .jsonl: try objects.map { try json($0) + "\n" }.joined()
    case .json:
      objects.isEmpty
        ? "[]\n"
        : "[\n" + (try objects.map { try "  " + json($0) }).joined(separator: ",\n") + "\n]\n"
    }
  }

  // MARK: Forms

  private func table() -> String {
    let rows =
      [["object"] + columns]
      + objects.map { object in
        [name(of: object.objectID)] + columns.map { cell(object.value(forKey: $0)) }
      }
    let widths = (0..<columns.count + 1).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (cell, width) in zip(row, widths) {
        line += cell + String(repeating: " ", count: width - cell.count + 2)
      }
      return line.trimmingSuffix(while: { $0 == " " }) + "\n"
    }.joined()
  }

  private func csv() -> String {
    let rows =
      [["object"] + columns]
      + objects.map { object in
        [name(of: object.objectID)] + columns.map { text(object.value(forKey: $0)) ?? "" }
      }
    return rows.map { row in
      row.map { cell in
        cell.contains { "\",\n\r".contains($0) }
          ? "\"\(cell.replacing("\"", with: "\"\""))\"" : cell
      }.joined(separator: ",") + "\r\n"
    }.joined()
  }

  private func json(_ object: NSManagedObject) throws -> String {
    var values: [String: Any] = ["@object": name(of: object.objectID)]
    for column in columns { values[column] = jsonValue(object.value(forKey: column)) }
    let data = try JSONSerialization.data(
      withJSONObject: values, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self)
  }

  // MARK: Values

  /// `Person/p1`, the end of the object's URL.
  private func name(of id: NSManagedObjectID) -> String {
    id.uriRepresentation().pathComponents.suffix(2).joined(separator: "/")
  }

  /// The text of a value in one line of limited length.
  private func cell(_ value: Any?) -> String {
    let line = (text(value) ?? "").replacing("\n", with: "⏎")
    return line.count > 40 ? line.prefix(39) + "…" : line
  }

  private func text(_ value: Any?) -> String? {
    switch value {
    case nil: nil
    case let date as Date: date.formatted(.iso8601)
    case let data as Data: data.base64EncodedString()
    case let object as NSManagedObject: name(of: object.objectID)
    case let text as String: text
    case let value?: "\(value)"
    }
  }

  private func jsonValue(_ value: Any?) -> Any {
    switch value {
    case nil: NSNull()
    case let number as NSNumber where number.doubleValue.isFinite: number
    default: text(value) ?? NSNull()
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
    var trimmed = self[...]
    while let last = trimmed.last, isTrimmed(last) { trimmed.removeLast() }
    return String(trimmed)
  }
}
