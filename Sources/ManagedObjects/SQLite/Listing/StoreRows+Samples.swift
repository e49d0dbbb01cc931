import DataModels
import Foundation

extension StoreRows {
  /// A row with its values, in the order of ``names(of:)``.
  package struct Sample: Sendable {
    /// The row's key.
    package let key: Int64
    /// The values.
    package let values: [ListedValue]
  }

  /// The first rows of exactly this entity, ordered by key.
  package func samples(of entity: SchemaEntity, first count: Int) throws -> [Sample] {
    try samples(
      of: entity, "WHERE \(entity.ownRows("t0")) ORDER BY t0.Z_PK LIMIT \(max(0, count))")
  }

  /// The rows of exactly this entity with these keys, ordered by key.
  package func samples(of entity: SchemaEntity, keys: Set<Int64>) throws -> [Sample] {
    guard !keys.isEmpty else { return [] }
    let list = keys.sorted().map(String.init).joined(separator: ", ")
    return try samples(
      of: entity,
      "WHERE \(entity.ownRows("t0")) AND t0.Z_PK IN (\(list)) ORDER BY t0.Z_PK")
  }

  private func samples(of entity: SchemaEntity, _ clauses: String) throws -> [Sample] {
    try reading {
      let listing = try RowListing(self, entity, present: presentColumns(of: entity))
      return try connection.withStatement(
        "SELECT \(listing.columnList) FROM \(entity.table) t0 \(clauses)"
      ) { row in
        var samples: [Sample] = []
        while try row.step() {
          samples.append(Sample(key: row.integer(at: 0), values: try listing.values(of: row)))
        }
        return samples
      }
    }
  }
}
