import DataModels
import Foundation

/// The listing of an entity's rows: the columns to select, and the output for each row.
///
/// A row is written directly from SQLite's values; ``values(of:)`` returns the same as data.
final class RowListing {
  let entity: SchemaEntity
  let columns: [ListedColumn]
  /// The columns to select from `t0`: the row's key and entity number, and what the listed properties need.
  let columnList: String
  private let rows: StoreRows

  /// - Parameters:
  ///   - names: the properties to list, in this order; nil for all, sorted by name.
  ///   - present: the table's columns; nil if it has all of them.
  init(
    _ rows: StoreRows, _ entity: SchemaEntity, names: [String]? = nil,
    present: PresentColumns? = nil
  ) throws {
    self.rows = rows
    self.entity = entity
    var builder = Builder(rows: rows, entity: entity, present: present)
    columns = try Self.properties(of: entity, names).map { try builder.column($0) }
    columnList = builder.selected.map { "t0.\($0)" }.joined(separator: ", ")
  }

  /// The properties that can be listed, sorted by name; or those named, in that order.
  static func properties(
    of entity: SchemaEntity, _ names: [String]? = nil
  ) -> [NSPropertyDescription] {
    let properties = entity.description.propertiesByName
    let stored = properties.values.filter { property in
      !property.isTransient
        && (property is NSAttributeDescription || property is NSRelationshipDescription)
    }
    guard let names else { return stored.sorted { NameOrder.precedes($0.name, $1.name) } }
    return names.compactMap { name in stored.first { $0.name == name } }
  }

  // MARK: Writing

  /// Appends a row as a JSON object, starting with its name.
  func appendJSON(_ row: SQLiteStatement, to text: inout ListedText) throws {
    text.append("{\"@object\":\"")
    append(name(of: row), row.integer(at: 0), to: &text)
    text.append(UInt8(ascii: "\""))
    for column in columns {
      text.append(column.key)
      try append(json: column.source, row, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  /// Appends a row as a line of CSV, starting with its name.
  ///
  /// - Parameter null: the text for a missing value.
  func appendCSV(_ row: SQLiteStatement, null: [UInt8], to text: inout ListedText) throws {
    append(name(of: row), row.integer(at: 0), to: &text)
    for column in columns {
      text.append(UInt8(ascii: ","))
      try append(csv: column.source, row, null, to: &text)
    }
    text.append("\r\n")
  }

  private func append(
    json source: ListedColumn.Source, _ row: SQLiteStatement, to text: inout ListedText
  ) throws {
    switch source {
    case .plain(let column, let type):
      switch row.type(at: column) {
      case .null: text.append(ListedText.null)
      case .text:
        if !row.withText(at: column, { text.append(json: $0) }) { remark(onRepairAt: column, row) }
      case .blob where isBase64(type):
        text.append(UInt8(ascii: "\""))
        row.withBlob(at: column) { if let bytes = $0 { text.append(base64: bytes) } }
        text.append(UInt8(ascii: "\""))
      case .blob: value(row, at: column, of: type).write(to: &text)
      case .integer, .real: append(number: row, column, type, quoted: true, to: &text)
      }
    case .toOne(let key, let number, let destination):
      guard row.type(at: key) == .integer else { return raw(row, key).write(to: &text) }
      text.append(UInt8(ascii: "\""))
      append(
        target(of: row, column: number, otherwise: destination), row.integer(at: key), to: &text)
      text.append(UInt8(ascii: "\""))
    case .toMany(let members):
      text.append(UInt8(ascii: "["))
      var isFirst = true
      try forEachMember(members, of: row) { key, number in
        text.append(isFirst ? "\"" : ",\"")
        append(rows.name(of: number), key, to: &text)
        text.append(UInt8(ascii: "\""))
        isFirst = false
      }
      text.append(UInt8(ascii: "]"))
    case .nothing, .external, .composite: try value(of: source, row).write(to: &text)
    }
  }

  /// The members of a to-many relationship; in a damaged store, if requested, those that can be read, so that the row
  /// itself can be listed.
  @inline(__always)
  func forEachMember(
    _ members: ListedMembers, of row: SQLiteStatement, _ body: (Int64, Int) -> Void
  ) throws {
    do {
      try members.forEach(of: row.integer(at: 0), body)
    } catch let error as SQLiteError where rows.keepsGoing && error.isDamage {
      rows.note("\(entity.name): not all of its objects can be read: \(error.message)")
    }
  }

  private func append(
    csv source: ListedColumn.Source, _ row: SQLiteStatement, _ null: [UInt8],
    to text: inout ListedText
  ) throws {
    let start = text.bytes.count
    switch source {
    case .plain(let column, let type):
      switch row.type(at: column) {
      case .null: return text.append(null)
      case .text:
        if !row.withText(at: column, { text.append(csv: $0) }) { remark(onRepairAt: column, row) }
      case .blob where isBase64(type):
        row.withBlob(at: column) { bytes in
          // Like an empty string: an unquoted empty cell stands for a missing value.
          if let bytes, !bytes.isEmpty { text.append(base64: bytes) } else { text.append("\"\"") }
        }
      case .blob: return append(csv: value(row, at: column, of: type), null, to: &text)
      case .integer, .real: append(number: row, column, type, quoted: false, to: &text)
      }
    case .toOne(let key, let number, let destination):
      guard row.type(at: key) == .integer else {
        return append(csv: raw(row, key), null, to: &text)
      }
      append(
        target(of: row, column: number, otherwise: destination), row.integer(at: key), to: &text)
    case .toMany(let members):
      var isFirst = true
      try forEachMember(members, of: row) { key, number in
        if !isFirst { text.append(UInt8(ascii: " ")) }
        append(rows.name(of: number), key, to: &text)
        isFirst = false
      }
    case .nothing, .external, .composite:
      return append(csv: try value(of: source, row), null, to: &text)
    }
    text.quoteCell(from: start, ifEqualTo: null)
  }

  /// Whether the bytes of an attribute are listed as plain base64; bytes elsewhere are marked to distinguish them
  /// from strings.
  @inline(__always)
  private func isBase64(_ type: NSAttributeType) -> Bool {
    type.holdsBytes && rows.decoded == nil
  }

  /// Reports, once, a column with text that isn't valid UTF-8.
  func remark(onRepairAt column: Int32, _ row: SQLiteStatement) {
    let name = columnName(at: column)
    rows.remark(
      on: "\(entity.name).\(name), text",
      "\(entity.name).\(name): texts aren't valid UTF-8, first that of \(objectName(of: row)); what is wrong in "
        + "them is shown as U+FFFD")
  }

  private func columnName(at column: Int32) -> String {
    columns.first { $0.source.isPlain(at: column) }?.name ?? "an element"
  }

  /// Reports, once, a column that contains bytes although its attribute doesn't.
  private func remark(onBytesAt column: Int32, _ row: SQLiteStatement) {
    let name = columnName(at: column)
    rows.remark(
      on: "\(entity.name).\(name)",
      "\(entity.name).\(name): values are bytes, first that of \(objectName(of: row)); they are shown as "
        + "{\"@bytes\": base64}")
  }

  private func append(csv value: ListedValue, _ null: [UInt8], to text: inout ListedText) {
    guard let cell = value.cell else { return text.append(null) }
    let start = text.bytes.count
    text.append(csv: cell.utf8)
    text.quoteCell(from: start, ifEqualTo: null)
  }

  @inline(__always)
  private func append(
    number row: SQLiteStatement, _ column: Int32, _ type: NSAttributeType, quoted: Bool,
    to text: inout ListedText
  ) {
    switch type {
    case .dateAttributeType: text.append(date: row.double(at: column), quoted: quoted)
    case .booleanAttributeType
    where row.type(at: column) == .integer && (0...1).contains(row.integer(at: column)):
      text.append(row.integer(at: column) == 1)
    default:
      if row.type(at: column) == .integer {
        text.append(row.integer(at: column))
      } else {
        text.append(row.double(at: column), quoted: quoted)
      }
    }
  }

  /// Appends an object's name. Entity names are identifiers and need no escaping in any format.
  @inline(__always)
  private func append(_ entity: [UInt8], _ key: Int64, to text: inout ListedText) {
    text.append(entity)
    text.append("/p")
    text.append(key)
  }

  @inline(__always)
  private func name(of row: SQLiteStatement) -> [UInt8] {
    let number = Int(truncatingIfNeeded: row.integer(at: 1))
    return entity.numbers.contains(number) ? rows.name(of: number) : rows.name(of: entity.number)
  }

  /// The name of the entity that a to-one relationship leads to.
  @inline(__always)
  func target(
    of row: SQLiteStatement, column number: Int32?, otherwise destination: Int
  ) -> [UInt8] {
    let target = number.map { Int(truncatingIfNeeded: row.integer(at: $0)) } ?? destination
    return rows.schema[number: target] == nil ? rows.name(of: destination) : rows.name(of: target)
  }

  /// The name of an entity with a number.
  func entityName(of number: Int) -> [UInt8] { rows.name(of: number) }

  // MARK: Values

  /// The name of a row's object.
  func objectName(of row: SQLiteStatement) -> String {
    var text = ListedText()
    append(name(of: row), row.integer(at: 0), to: &text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// A row's values, in column order.
  func values(of row: SQLiteStatement) throws -> [ListedValue] {
    try columns.map { try value(of: $0.source, row) }
  }

  /// A row's value.
  func value(
    of source: ListedColumn.Source, _ row: SQLiteStatement
  ) throws -> ListedValue {
    func name(_ entity: [UInt8], _ key: Int64) -> ListedValue {
      .text("\(String(decoding: entity, as: UTF8.self))/p\(key)")
    }
    switch source {
    case .nothing: return .null
    case .plain(let column, let type): return value(row, at: column, of: type)
    case .external(let column, let path):
      guard let bytes = row.blob(at: column) else { return .null }
      do {
        return rows.listed(try rows.external.value(of: bytes))
      } catch {
        rows.note(
          "\(path) of the row \(row.integer(at: 0)): \((error as NSError).localizedDescription)")
        return .null
      }
    case .composite(let elements):
      return .record(try elements.map { (name: $0.name, value: try value(of: $0.source, row)) })
    case .toOne(let key, let number, let destination):
      guard row.type(at: key) == .integer else { return raw(row, key) }
      return name(
        target(of: row, column: number, otherwise: destination), row.integer(at: key))
    case .toMany(let members):
      var list: [ListedValue] = []
      try forEachMember(members, of: row) { list.append(name(rows.name(of: $1), $0)) }
      return .list(list)
    }
  }

  /// The unconverted value of a key column that doesn't hold a key.
  private func raw(_ row: SQLiteStatement, _ column: Int32) -> ListedValue {
    value(row, at: column, of: .undefinedAttributeType)
  }

  /// The column's value, interpreted by the attribute's type.
  private func value(
    _ row: SQLiteStatement, at column: Int32, of type: NSAttributeType
  ) -> ListedValue {
    let value = ListedValue(row, at: column, of: type)
    switch value {
    case .text where row.type(at: column) == .text:
      if !row.withText(at: column, { ListedText.isUTF8($0) }) { remark(onRepairAt: column, row) }
    case .bytes(let data): return rows.listed(data)
    case .record: remark(onBytesAt: column, row)
    default: break
    }
    return value
  }

  // MARK: Columns

  /// Determines the columns that properties are read from.
  private struct Builder {
    let rows: StoreRows
    let entity: SchemaEntity
    let present: PresentColumns?
    var selected = ["Z_PK", "Z_ENT"]

    /// The index of a column among those selected; nil if the table lacks it.
    private mutating func position(_ name: String) -> Int32? {
      if let present, !present.contains(name) {
        rows.note("\(entity.name): the table \(entity.table) has no column \(name)")
        return nil
      }
      selected.append(name)
      return Int32(selected.count - 1)
    }

    mutating func column(_ property: NSPropertyDescription) throws -> ListedColumn {
      ListedColumn(name: property.name, source: try source(property))
    }

    private mutating func source(
      _ property: NSPropertyDescription
    ) throws -> ListedColumn.Source {
      let name = property.name
      if let attribute = property as? NSAttributeDescription {
        return source(attribute, path: name)
      }
      if let toOne = entity.toOnes[name] {
        guard let key = position(toOne.key) else { return .nothing }
        return .toOne(
          key: key, entity: toOne.targetEntity.flatMap { position($0) },
          destination: toOne.destination)
      }
      guard let storage = entity.toManys[name],
        let destination = rows.schema[number: storage.destinationNumber]
      else { return .nothing }
      let isOrdered = (property as? NSRelationshipDescription)?.isOrdered == true
      let sql =
        "SELECT t0.Z_PK, t0.Z_ENT FROM \(destination.table) t0 "
        + storage.condition(rows.schema, isOrdered: isOrdered)
      guard present != nil else { return .toMany(try members(sql, destination)) }
      if let members = try? members(sql, destination) { return .toMany(members) }
      rows.note("\(entity.name).\(name): the store has no place for the relationship")
      return .nothing
    }

    private func members(_ sql: String, _ destination: SchemaEntity) throws -> ListedMembers {
      ListedMembers(try rows.connection.prepare(sql), destination: destination)
    }

    private mutating func source(
      _ attribute: NSAttributeDescription, path: String
    ) -> ListedColumn.Source {
      if let composite = attribute as? NSCompositeAttributeDescription {
        return .composite(
          composite.elements.map { ($0.name, source($0, path: "\(path).\($0.name)")) })
      }
      guard let name = entity.attributes[path], let column = position(name) else {
        return .nothing
      }
      if attribute.attributeType == .binaryDataAttributeType,
        attribute.allowsExternalBinaryDataStorage
      {
        return .external(column, path: "\(entity.name).\(path)")
      }
      return .plain(column, attribute.attributeType)
    }
  }
}
