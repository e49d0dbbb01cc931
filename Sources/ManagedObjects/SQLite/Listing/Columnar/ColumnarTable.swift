import DataModels
import Foundation
import ParquetFiles

/// An entity's rows as a table of typed columns.
struct ColumnarTable {
  private let rows: StoreRows
  private let entity: SchemaEntity
  private let listing: RowListing
  private let columns: [ColumnarColumn]
  /// The names of the to-many relationships that aren't among the columns.
  private let leftOut: [String]

  init(_ rows: StoreRows, of entity: SchemaEntity, options: ColumnarExport.Options) throws {
    self.rows = rows
    self.entity = entity
    let properties = RowListing.properties(of: entity)
    let toMany = properties.compactMap { $0 as? NSRelationshipDescription }.filter(\.isToMany)
    leftOut = options.hasToMany ? [] : toMany.map(\.name)
    let listed = Set(properties.map(\.name)).subtracting(leftOut)
    listing = try RowListing(
      rows, entity, names: properties.map(\.name).filter(listed.contains),
      present: rows.presentColumns(of: entity))
    columns = Self.columns(of: listing, rows, options)
    try measureDecimals()
  }

  private static func columns(
    of listing: RowListing, _ rows: StoreRows, _ options: ColumnarExport.Options
  ) -> [ColumnarColumn] {
    // Engines don't tell capital letters from small ones.
    var taken = Set(listing.columns.map { $0.name.lowercased() })
    func name(_ wanted: String) -> String {
      var name = wanted
      while !taken.insert(name.lowercased()).inserted { name = "_" + name }
      return name
    }
    var columns = [ColumnarColumn(key: name("_id"))]
    let properties = listing.entity.description.propertiesByName
    for listed in listing.columns {
      if let attribute = properties[listed.name] as? NSAttributeDescription {
        columns.append(
          ColumnarColumn(
            attribute, listed, unit: options.dateUnit, isDecoded: rows.decoded != nil))
      } else if let relationship = properties[listed.name] as? NSRelationshipDescription {
        let targets = relationship.destinationEntity.map { targetNames(of: $0, rows) } ?? []
        // The target's entity has a column of its own where the relationship leaves it open.
        let entityName = targets.count > 1 ? name("\(listed.name)_entity") : nil
        columns.append(ColumnarColumn(relationship, listed, targets: targets))
        if let entityName {
          columns.append(ColumnarColumn(entityOf: listed, named: entityName, relationship))
        }
      }
    }
    return columns
  }

  /// The entities that a relationship can lead to.
  private static func targetNames(
    of destination: NSEntityDescription, _ rows: StoreRows
  ) -> [String] {
    guard let number = rows.schema[destination.name ?? ""]?.number else { return [] }
    return rows.schema.entities[(number - 1)..<rows.schema.entities[number - 1].lastNumber]
      .filter { !$0.description.isAbstract }.map(\.name)
  }

  // MARK: Rows

  /// Writes the file.
  ///
  /// - Throws: ``ColumnarColumn/Misfit`` when a value doesn't fit its column.
  func write(
    _ compression: ParquetCompression, to sink: @escaping ([UInt8]) throws -> Void,
    counting: () -> Void
  ) throws {
    for column in columns { column.roundedDates = 0 }
    let writer = try ParquetWriter(
      columns: columns.map(\.parquet), compression: compression, to: sink)
    let cells = Array(zip(columns, writer.columns))
    try forEachRow { row in
      // Whatever is left out of a damaged store, it isn't half of a row.
      try rows.reading {
        for (index, cell) in cells.enumerated() {
          guard let wider = try cell.0.append(row, listing, to: cell.1) else { continue }
          throw ColumnarColumn.Misfit(
            column: index, form: wider, object: listing.objectName(of: row))
        }
      }
      try writer.endRow()
      counting()
    }
    try writer.finish()
  }

  private func forEachRow(_ body: (SQLiteStatement) throws -> Void) throws {
    do {
      try rows.forEach(of: entity, listing, body)
    } catch let error as SQLiteError where rows.keepsGoing {
      rows.note("\(entity.name): \(error.message)")
    }
  }

  // MARK: Types

  /// Finds out how many digits decimals have, which their columns must declare.
  private func measureDecimals() throws {
    let places = columns.indices.filter { columns[$0].isDecimal }
    guard !places.isEmpty else { return }
    var measures = places.map { _ in DecimalMeasure() }
    try forEachRow { row in
      for (index, place) in places.enumerated() {
        measures[index].add(row, columns[place].place)
      }
    }
    for (measure, place) in zip(measures, places) { columns[place].setDigits(measure) }
  }

  /// Gives a column a type that the value fits which it couldn't take.
  func widen(_ misfit: ColumnarColumn.Misfit) {
    columns[misfit.column].widen(to: misfit.form, for: misfit.object)
  }

  func manifest(count: Int) -> ColumnarManifest.Entity {
    ColumnarManifest.Entity(
      name: entity.name, file: "", rows: count,
      versionHash: rows.model.entityVersionHashesByName[entity.name]?.base64EncodedString(),
      columns: columns.map(\.manifest), leftOut: leftOut)
  }
}
