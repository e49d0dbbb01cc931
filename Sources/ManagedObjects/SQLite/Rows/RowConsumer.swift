import DataModels

/// A receiver of a statement's rows. The compiler specializes the loop for each type, so that per-row work needs no
/// dynamic dispatch or retain.
protocol RowConsumer {
  /// Receives the current row of a statement. The engine decodes its values if they are wanted.
  func take(
    _ row: SQLiteStatement, of engine: SQLiteEngine, reader: RowShape.Reader,
    decoder: inout RowDecoder
  ) throws
}

/// Values are decoded directly into the objects' memory.
extension ObjectSink: RowConsumer {
  @inline(__always)
  func take(
    _ row: SQLiteStatement, of engine: SQLiteEngine, reader: RowShape.Reader,
    decoder: inout RowDecoder
  ) throws {
    let (key, version) = (row.integer(at: 0), row.integer(at: 1))
    guard let slot = beginRow(of: reader.layout, key: key, version: version) else { return }
    let count = reader.steps.count
    if try engine.decode(row, reader: reader, decoder: &decoder, into: room(count: count)) {
      keepRoom(slot, count: count)
    }
  }
}

/// Passes arrays of values to any other sink.
struct ValueConsumer: RowConsumer {
  let sink: any RowSink

  func take(
    _ row: SQLiteStatement, of engine: SQLiteEngine, reader: RowShape.Reader,
    decoder: inout RowDecoder
  ) throws {
    let (key, version) = (row.integer(at: 0), row.integer(at: 1))
    guard let slot = sink.beginRow(of: reader.layout, key: key, version: version) else { return }
    let values = try [StoredValue](makingRow: reader.steps.count) { buffer in
      try engine.decode(row, reader: reader, decoder: &decoder, into: buffer)
    }
    if let values { sink.fill(slot, with: values) }
  }
}
