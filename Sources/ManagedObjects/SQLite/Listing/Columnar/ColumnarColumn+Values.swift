import DataModels
import Foundation
import ParquetFiles

extension ColumnarColumn {
  /// Appends a row's value to the column.
  ///
  /// - Returns: nil, or the form that the column needs for the value, which has not been appended.
  @inline(__always)
  func append(
    _ row: SQLiteStatement, _ listing: RowListing, to writer: ParquetColumnWriter
  ) throws -> Form? {
    switch form {
    case .key:
      writer.append(row.integer(at: 0))
      return nil
    case .json: return try appendJSON(row, listing, to: writer)
    case .members, .memberEntities: return try appendMembers(row, listing, to: writer)
    case .bytes: return try appendBytes(row, listing, to: writer)
    default: break
    }
    guard place >= 0, row.type(at: place) != .null else {
      writer.appendNull()
      return nil
    }
    switch (form, row.type(at: place)) {
    case (.integer(let bits), .integer):
      let number = row.integer(at: place)
      guard bits == 64 || number >> Int64(bits - 1) == number >> 63 else {
        return .integer(bits: 64)
      }
      writer.append(number)
    case (.boolean, .integer):
      let number = row.integer(at: place)
      guard (0...1).contains(number) else { return .json }
      writer.append(number)
    case (.float, .integer), (.float, .real), (.double, .integer), (.double, .real):
      return appendNumber(row, to: writer)
    case (.date(let unit), .integer), (.date(let unit), .real):
      return append(date: row.double(at: place), unit, to: writer)
    case (.decimal(let digits), _): return digits.append(row, place, to: writer) ? nil : .json
    case (.uuid, .blob):
      let isUUID = try row.withBlob(at: place) { bytes in
        guard let bytes, bytes.count == 16 else { return false }
        try writer.append(bytes)
        return true
      }
      return isUUID ? nil : .json
    case (.text, .text):
      if try !row.withText(at: place, { try append(text: $0, to: writer) }) {
        listing.remark(onRepairAt: place, row)
      }
    case (.reference, .integer): writer.append(row.integer(at: place))
    case (.referenceEntity, .integer):
      if case .toOne(_, let number, let destination) = source {
        try writer.append(listing.target(of: row, column: number, otherwise: destination))
      }
    // What isn't a key leads to no object, and is shown by the column beside.
    case (.referenceEntity, _): writer.appendNull()
    default: return .json
    }
    return nil
  }

  /// Appends a number, in single precision only if nothing of it is lost.
  private func appendNumber(_ row: SQLiteStatement, to writer: ParquetColumnWriter) -> Form? {
    let number = row.double(at: place)
    if row.type(at: place) == .integer, Int64(exactly: number) != row.integer(at: place) {
      return .json
    }
    if form == .float, Double(Float(number)) != number { return .double }
    writer.append(number)
    return nil
  }

  /// Appends text, repaired where it isn't valid UTF-8, as in other listings; returns whether it was valid.
  private func append(
    text: some Collection<UInt8>, to writer: ParquetColumnWriter
  ) throws -> Bool {
    let isValid = ListedText.isUTF8(text)
    if isValid {
      try writer.append(text)
    } else {
      try writer.append(String(decoding: text, as: UTF8.self).utf8)
    }
    return isValid
  }

  /// Appends bytes as they are, from where they are.
  private func appendBytes(
    _ row: SQLiteStatement, _ listing: RowListing, to writer: ParquetColumnWriter
  ) throws -> Form? {
    if case .external = source {
      switch try listing.value(of: source, row) {
      case .null: writer.appendNull()
      case .bytes(let data): try writer.append(data)
      default: return .json
      }
      return nil
    }
    guard place >= 0, row.type(at: place) != .null else {
      writer.appendNull()
      return nil
    }
    guard row.type(at: place) == .blob else { return .json }
    try row.withBlob(at: place) { if let bytes = $0 { try writer.append(bytes) } }
    return nil
  }

  private func appendJSON(
    _ row: SQLiteStatement, _ listing: RowListing, to writer: ParquetColumnWriter
  ) throws -> Form? {
    let value = try listing.value(of: source, row)
    if case .null = value { writer.appendNull() } else { try writer.append(value.json.utf8) }
    return nil
  }

  private func appendMembers(
    _ row: SQLiteStatement, _ listing: RowListing, to writer: ParquetColumnWriter
  ) throws -> Form? {
    var isEmpty = true
    if case .toMany(let members) = source {
      writer.startList()
      var failure: (any Error)?
      try listing.forEachMember(members, of: row) { key, number in
        isEmpty = false
        if form == .members { return writer.append(key) }
        do { try writer.append(listing.entityName(of: number)) } catch { failure = error }
      }
      if let failure { throw failure }
    }
    if isEmpty { writer.appendEmptyList() }
    return nil
  }

  // MARK: Dates

  /// Appends a date, given in seconds since 2001, rounded to the nearest unit.
  private func append(
    date seconds: Double, _ unit: ParquetType.Unit, to writer: ParquetColumnWriter
  ) -> Form? {
    guard let whole = Int64(exactly: seconds.rounded(.down)) else { return .double }
    let (units, wider): (Int64, Form) =
      unit == .microseconds ? (1_000_000, .double) : (1_000_000_000, .date(.microseconds))
    // The difference is exact, and so is all of this but the rounding to a unit.
    let part = Int64(((seconds - Double(whole)) * Double(units)).rounded())
    let (since1970, isTooLate) = whole.addingReportingOverflow(978_307_200)
    let (product, isTooLarge) = since1970.multipliedReportingOverflow(by: units)
    let (number, isTooMuch) = product.addingReportingOverflow(part)
    guard !isTooLate, !isTooLarge, !isTooMuch else { return wider }
    let back = Double(whole) + Double(part) / Double(units)
    if back != seconds { roundedDates += 1 }
    writer.append(number)
    return nil
  }
}
