/// The end of a file, where reading it begins: its columns, and where the row groups are.
struct FileFooter {
  let columns: [ParquetColumn]
  let rowCount: Int
  /// The row groups, each as a structure.
  let groups: [[UInt8]]

  /// The name is followed by a version, as readers expect, which look up known bugs of writers by it.
  private static let writer = "MomKit version 1.0.0 (build 0)"

  var bytes: [UInt8] {
    let root = ThriftWriter.structure {
      $0.field(4, "schema")
      $0.field(5, Int32(columns.count))
    }
    // All values are ordered as their types say: without this, readers don't believe the statistics.
    let order = ThriftWriter.structure { $0.field(1) { _ in } }
    return ThriftWriter.structure { file in
      file.field(1, Int32(1))
      file.list(2, structures: [root] + columns.flatMap(\.schemaElements))
      file.field(3, Int64(rowCount))
      file.list(4, structures: groups)
      file.field(6, Self.writer)
      file.list(7, structures: columns.map { _ in order })
    }
  }
}
