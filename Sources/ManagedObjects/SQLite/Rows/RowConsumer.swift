import DataModels

/// Takes the rows of a statement one by one. The compiler makes a loop for each kind: what is done for every row
/// is neither looked up nor retained.
protocol RowConsumer {
  /// Takes the row that a statement stands on, whose values the engine makes if they are wanted.
  func take(
    _ row: SQLiteStatement, of engine: SQLiteEngine, _ reader: RowShape.Reader,
    _ decoder: inout RowDecoder
  ) throws
}

/// Objects have their values made where they stay.
extension ObjectSink: RowConsumer {
  @inline(__always)
  func take(
    _ row: SQLiteStatement, of engine: SQLiteEngine, _ reader: RowShape.Reader,
    _ decoder: inout RowDecoder
  ) throws {
    let (key, version) = (row.integer(at: 0), row.integer(at: 1))
    guard let slot = beginRow(of: reader.layout, key: key, version: version) else { return }
    let count = reader.steps.count
    if try engine.decode(row, reader, &decoder, into: room(count: count)) {
      keepRoom(slot, count: count)
    }
  }
}

/// Hands any other sink lists of values.
struct ValueConsumer: RowConsumer {
  let sink: any RowSink

  func take(
    _ row: SQLiteStatement, of engine: SQLiteEngine, _ reader: RowShape.Reader,
    _ decoder: inout RowDecoder
  ) throws {
    let (key, version) = (row.integer(at: 0), row.integer(at: 1))
    guard let slot = sink.beginRow(of: reader.layout, key: key, version: version) else { return }
    let values = try [StoredValue](makingRow: reader.steps.count) { buffer in
      try engine.decode(row, reader, &decoder, into: buffer)
    }
    if let values { sink.fill(slot, with: values) }
  }
}
