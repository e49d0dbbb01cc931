import Foundation

/// Checks of persistent history.
extension StoreCheck {
  mutating func checkHistory() throws {
    guard try connection.hasTable("ACHANGE"), try connection.hasTable("ATRANSACTION"),
      try connection.hasTable("ATRANSACTIONSTRING")
    else { return }
    try addRows(
      .historyTransaction, in: "ACHANGE", "the change belongs to no transaction",
      sql: "SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID IS NULL "
        + "OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
    try addRows(
      .historyChange, in: "ACHANGE", "the kind of change is not 0, 1 or 2",
      sql: "SELECT Z_PK FROM ACHANGE WHERE ZCHANGETYPE IS NULL OR ZCHANGETYPE NOT BETWEEN 0 AND 2")
    let numbers = schema.entities.filter { !$0.description.isAbstract }.map { "\($0.number)" }
    try addRows(
      .historyChange, in: "ACHANGE", "the entity number is that of no concrete entity",
      sql: "SELECT Z_PK FROM ACHANGE WHERE ZENTITY IS NULL "
        + "OR ZENTITY NOT IN (\(numbers.joined(separator: ", ")))")
    try addRows(
      .historyColumns, in: "ACHANGE",
      "changed columns are recorded for a change that isn't an update, or not for an update",
      sql: "SELECT Z_PK FROM ACHANGE WHERE (ZCHANGETYPE = 1) <> (ZCOLUMNS IS NOT NULL)")
    let layouts = ModelLayout.of(model)
    for entity in schema.entities where !entity.description.isAbstract {
      guard let layout = layouts[entity.name] else { continue }
      let count = ChangedColumns(layout: layout, entity: entity, table: schema.table(entity.table))
        .count
      try addRows(
        .historyColumns, in: "ACHANGE",
        "an update of \(entity.name) doesn't have \((count + 7) / 8) bytes of columns",
        sql: "SELECT Z_PK FROM ACHANGE WHERE ZENTITY = \(entity.number) AND ZCHANGETYPE = 1 "
          + "AND length(ZCOLUMNS) <> \((count + 7) / 8)")
    }
    for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"] {
      try addRows(
        .historyText, in: "ATRANSACTION", "\(column) refers to no string",
        sql: "SELECT Z_PK FROM ATRANSACTION WHERE \(column) IS NOT NULL "
          + "AND \(column) NOT IN (SELECT Z_PK FROM ATRANSACTIONSTRING)")
    }
    for (number, table) in [
      (HistorySchema.changeNumber, "ACHANGE"), (HistorySchema.transactionNumber, "ATRANSACTION"),
      (HistorySchema.stringNumber, "ATRANSACTIONSTRING"),
    ] {
      // The row is created with the first key.
      try addRows(
        .keyCounter, in: table, "keys exceed the last one assigned",
        sql: "SELECT Z_PK FROM \(table) WHERE Z_PK > "
          + "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number))")
    }
  }
}
