/// What an image says about the model as a whole.
struct OptimizedSummary {
  /// The requests that are templates, by number.
  let templates: [Int]
  /// The configurations, the default one among them.
  let configurations: [(name: Int, entities: [Int])]
  /// Data of archived version identifiers.
  let versionIdentifiers: [Int]

  init(_ bytes: [UInt8], _ header: OptimizedHeader) throws(ModelFileError) {
    var cursor = OptimizedCursor(bytes, at: header.model)
    _ = try cursor.word()  // Flags of the model at run time.
    _ = try cursor.word()  // The number of entities.
    let templateCount = try cursor.word()
    var templates: [Int] = []
    for _ in 0..<templateCount { templates.append(try cursor.long()) }
    var configurations: [(name: Int, entities: [Int])] = []
    for _ in 0..<(try cursor.word()) {
      let name = try cursor.word()
      configurations.append((name, try cursor.array()))
    }
    self.templates = templates
    self.configurations = configurations
    versionIdentifiers = try cursor.array()
  }
}
