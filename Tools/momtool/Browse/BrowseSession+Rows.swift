import DataModels
import Foundation
import ManagedObjects

extension BrowseSession {
  /// The maximum number of rows per page of a table.
  private static let mostRows = 200
  /// The maximum size of an export, in bytes; `momtool store export` has no limit.
  private static let mostExported = 64 << 20

  /// A page of a table.
  private struct Rows: Encodable {
    var columns: [String]
    var rows: [Row] = []
    /// Whether more rows follow.
    var more = false
    /// The total number of rows, if known.
    var total: Int?
    var problems: [String]?
  }

  private struct Row: Encodable {
    /// The entity's index in the page.
    let entity: Int
    let key: Int64
    let values: [BrowseValue]
  }

  /// Returns rows of an entity and its subentities. Parameters: `entity`, `where`, `sort`, `offset`, `limit`.
  func rows(_ question: BrowseAnswer.Question) throws -> BrowseAnswer {
    try reading { rows, places in
      let limit = question.number("limit", default: 50, in: 1...Self.mostRows)
      var fetch = try self.fetch(question, rows)
      fetch.selection.limit = limit + 1
      fetch.selection.offset = question.number("offset", default: 0, in: 0...Int(Int32.max))
      let relationships = Self.relationships(of: try entity(question, rows))
      let names = fetch.names
      var page = Rows(columns: names)
      try fetch.forEach { name, values in
        guard let (entity, key) = BrowseValue.object(name, places) else { return }
        guard page.rows.count < limit else { return page.more = true }
        page.rows.append(
          Row(
            entity: entity, key: key,
            values: zip(names, values).map { name, value in
              relationships.contains(name)
                ? BrowseValue(linksOf: value, places, most: 5)
                : BrowseValue(brief: value)
            }))
      }
      if question["where"] == nil { page.total = try Self.count(question, rows) }
      page.problems = rows.problems.isEmpty ? nil : rows.problems
      return try .json(page)
    }
  }

  /// Validates a condition. Parameters: `entity`, `where`.
  func check(_ question: BrowseAnswer.Question) throws -> BrowseAnswer {
    try reading { rows, _ in
      _ = try fetch(question, rows)
      return try .json([String: String]())
    }
  }

  /// Returns all rows of a table as a file. Parameters: `entity`, `where`, `sort`, `format`.
  func export(_ question: BrowseAnswer.Question) throws -> BrowseAnswer {
    guard let format = StoreExport.Format(rawValue: question["format"] ?? "csv") else {
      throw Diagnostic("rows can be saved as csv, json or jsonl")
    }
    return try reading { rows, _ in
      let fetch = try self.fetch(question, rows)
      var bytes: [UInt8] = []
      try fetch.write(as: format) { part in
        bytes += part
        guard bytes.count <= Self.mostExported else {
          throw Diagnostic(
            "the rows exceed \(Self.mostExported >> 20) MB; use momtool store fetch, which has no limit"
          )
        }
      }
      let type =
        switch format {
        case .csv: "text/csv; charset=utf-8"
        case .json: "application/json"
        case .jsonl: "application/jsonl; charset=utf-8"
        }
      return .file(bytes, named: "\(question["entity"] ?? "rows").\(format.rawValue)", type: type)
    }
  }

  /// Returns the fetch for a request's parameters.
  private func fetch(_ question: BrowseAnswer.Question, _ rows: StoreRows) throws -> StoreFetch {
    let entity = try entity(question, rows)
    var fetch = StoreFetch(rows, of: entity)
    fetch.selection.predicate = try question["where"].map {
      try StoreCondition($0, on: entity.description, values: PredicateArguments()) { name, key in
        try rows.objectID(entity: name, key: key)
      }.predicate
    }
    if let sort = question["sort"] {
      let path = sort.hasPrefix("-") ? String(sort.dropFirst()) : sort
      try StoreCondition.checkSortKey(path, of: entity.description)
      fetch.selection.sortDescriptors = [
        NSSortDescriptor(key: path, ascending: !sort.hasPrefix("-"))
      ]
    }
    return fetch
  }

  static func relationships(of entity: SchemaEntity) -> Set<String> {
    Set(entity.description.relationshipsByName.keys)
  }

  /// Returns the number of rows of an entity and its subentities.
  private static func count(_ question: BrowseAnswer.Question, _ rows: StoreRows) throws -> Int? {
    let name = question["entity"] ?? ""
    var count = 0
    for entity in rows.entities
    where sequence(first: entity.description, next: { $0.superentity }).contains(where: {
      $0.name == name
    }) {
      guard let own = try? rows.count(of: entity) else { return nil }
      count += own
    }
    return count
  }
}
